import { Inject, Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { CONFIG, type Config } from '../config/config.js';
import { Metrics } from '../observability/metrics.js';
import { Clock } from '../runtime/clock.js';
import { Spool, type SpoolState } from './spool.js';
import type { VerifiedCallback } from './verified-callback.js';

const ANSWERS = ['published', 'spooled', 'duplicate', 'not-durable'] as const;
export type Answer = (typeof ANSWERS)[number];

@Injectable()
export class CallbackMetrics {
  private readonly callbacks: Counter<'app' | 'answer'>;
  private readonly refusals: Counter<'app' | 'code'>;
  private readonly seconds: Histogram<'answer'>;
  private readonly clockOffset: Gauge;

  constructor(
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    spool: Spool,
    @Inject(CONFIG) { spoolBytesMax, apps }: Config,
  ) {
    const registers = [metrics.registry];
    this.callbacks = new Counter({
      name: 'wecom_callbacks_total',
      help: 'Verified callbacks by answer: published, spooled and duplicate were answered success.',
      labelNames: ['app', 'answer'],
      registers,
    });
    this.refusals = new Counter({
      name: 'wecom_callbacks_refused_total',
      help: 'Callbacks that were not WeCom’s or not for us.',
      labelNames: ['app', 'code'],
      registers,
    });
    this.seconds = new Histogram({
      name: 'wecom_callback_answer_seconds',
      help: 'From the request to its answer. 0.1 s is the aim; WeCom gives up after 5 s, for some events after 1 s.',
      labelNames: ['answer'],
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5],
      registers,
    });
    this.clockOffset = new Gauge({
      name: 'wecom_callback_clock_offset_seconds',
      help: 'This clock minus the signed time of the last verified callback. More than 0: this clock is ahead, or the callback was long on its way.',
      registers,
    });
    // A series that begins with its first event has no increase, and the first one that was not kept would not show.
    for (const app of apps.keys()) for (const answer of ANSWERS) this.callbacks.inc({ app, answer }, 0);
    this.spoolGauges(spool, spoolBytesMax);
  }

  private spoolGauges(spool: Spool, bytesMax: number): void {
    const gauge = (name: string, help: string, read: (state: SpoolState) => number): Gauge => {
      const made: Gauge = new Gauge({
        ...{ name, help, registers: [this.metrics.registry] },
        collect: () => made.set(read(spool.state())),
      });
      return made;
    };
    gauge('wecom_spool_messages', 'Events in the spool that wait for the transport.', ({ depth }) => depth);
    gauge('wecom_spool_bytes', 'Bytes of the spool on the disk.', ({ bytes }) => bytes);
    gauge(
      'wecom_spool_bytes_max',
      'SPOOL_BYTES_MAX: past it, an event that the queue does not take is not kept.',
      () => bytesMax,
    );
    gauge(
      'wecom_spool_damaged_segments',
      'Segments set aside for a damaged frame; a person has to look at them.',
      (state) => state.damagedSegments,
    );
    gauge(
      'wecom_spool_oldest_seconds',
      'How long the oldest event has waited in the spool; 0 when it is empty.',
      ({ oldestAt }) => (oldestAt === null ? 0 : Math.max(0, this.clock.now() - oldestAt) / 1000),
    );
  }

  answered(callback: VerifiedCallback, answer: Answer): void {
    if (callback.sentAt !== null) this.clockOffset.set(callback.receivedAt / 1000 - callback.sentAt);
    this.callbacks.inc({ app: callback.app.name, answer });
    this.seconds.observe({ answer }, Math.max(0, this.clock.now() - callback.receivedAt) / 1000);
  }

  /** An unknown app's name is anybody's text, so it is no label. */
  refused(app: string, code: string): void {
    this.refusals.inc({ app: code === 'WECOM_APP_UNKNOWN' ? '' : this.metrics.bounded('app', app), code });
  }
}

import { Injectable } from '@nestjs/common';
import { Counter, Gauge, Histogram } from 'prom-client';
import { Metrics } from '../observability/metrics.js';
import { Clock } from '../runtime/clock.js';
import { Spool } from './spool.js';
import type { VerifiedCallback } from './verified-callback.js';

export type Answer = 'published' | 'spooled' | 'duplicate' | 'not-durable';

@Injectable()
export class CallbackMetrics {
  private readonly callbacks: Counter<'app' | 'answer'>;
  private readonly refusals: Counter<'app' | 'code'>;
  private readonly seconds: Histogram<'answer'>;

  constructor(
    private readonly clock: Clock,
    private readonly metrics: Metrics,
    spool: Spool,
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
    const depth: Gauge = new Gauge({
      name: 'wecom_spool_messages',
      help: 'Events in the spool that wait for the transport.',
      registers,
      collect: () => depth.set(spool.state().depth),
    });
  }

  answered(callback: VerifiedCallback, answer: Answer): void {
    this.callbacks.inc({ app: callback.app.name, answer });
    this.seconds.observe({ answer }, Math.max(0, this.clock.now() - callback.receivedAt) / 1000);
  }

  /** An unknown app's name is anybody's text, so it is no label. */
  refused(app: string, code: string): void {
    this.refusals.inc({ app: code === 'WECOM_APP_UNKNOWN' ? '' : this.metrics.bounded('app', app), code });
  }
}

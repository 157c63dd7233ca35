import { Module, type OnApplicationBootstrap, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { resolve } from 'node:path';
import { CONFIG, type Config } from '../config/config.js';
import { BacklogRegistry } from '../observability/backlog-registry.js';
import { HealthRegistry, type PartHealth } from '../observability/health-registry.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { Disk } from '../runtime/disk.js';
import { Transport } from '../transport/transport.js';
import { CallbackController } from './callback.controller.js';
import { CallbackMetrics } from './callback-metrics.js';
import { CallbackOpener } from './callback-opener.js';
import { Claims } from './claims.js';
import { EventPublisher } from './event-publisher.js';
import { FileSpool } from './file-spool.js';
import { NegativeAnswers } from './negative-answers.js';
import { Spool } from './spool.js';

const SPOOL_SEGMENT_BYTES_MAX = 16 * 1024 * 1024;
const SPOOL_DRAIN_BATCH_MAX = 100;
const SPOOL_DRAIN_RETRY_MS = 500;
const SPOOL_DRAIN_RETRY_MS_MAX = 5_000;
/** The envelope adds the gateway's facts, and six bytes of escape for each control character of a body. */
const FRAME_BYTES_FACTOR = 8;

const spool: Provider = {
  provide: Spool,
  inject: [Disk, Clock, Transport, Log, CONFIG],
  useFactory: (disk: Disk, clock: Clock, transport: Transport, log: Log, config: Config) =>
    new FileSpool(
      disk,
      clock,
      (topic, messages) => transport.publish(topic, messages),
      {
        folder: resolve(config.dataDir, 'spool'),
        segmentBytesMax: SPOOL_SEGMENT_BYTES_MAX,
        bytesMax: config.spoolBytesMax,
        appendTimeoutMs: config.spoolTimeoutMs,
        drainBatchMax: SPOOL_DRAIN_BATCH_MAX,
        drainRetryDelayMs: SPOOL_DRAIN_RETRY_MS,
        drainRetryDelayMsMax: SPOOL_DRAIN_RETRY_MS_MAX,
        frameBytesMax: config.bodyBytesMax * FRAME_BYTES_FACTOR,
      },
      { warn: (event, fields) => log.warn(event, { ...fields }) },
    ),
};

/** HTTP ingress: everything between WeCom's request and a durable message. No database here. */
@Module({
  controllers: [CallbackController],
  providers: [spool, CallbackMetrics, CallbackOpener, Claims, EventPublisher, NegativeAnswers],
  exports: [Spool],
})
export class CallbackModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    private readonly spool: Spool,
    private readonly transport: Transport,
    private readonly negative: NegativeAnswers,
    private readonly health: HealthRegistry,
    private readonly backlogs: BacklogRegistry,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    await this.spool.open();
    this.backlogs.register('spool', () => this.spool.state().depth);
    this.health.register({ name: 'spool', check: () => this.check() });
  }

  async onApplicationShutdown(): Promise<void> {
    this.negative.endAll();
    await this.spool.close();
  }

  /** Down only when neither transport nor spool can take an event. */
  private check(): PartHealth {
    const { trouble, canAppend, damagedSegments, depth, oldestAt } = this.spool.state();
    const canPublish = this.transport.trouble() === null;
    if (trouble && !canAppend && !canPublish) return { status: 'down', ...trouble };
    if (trouble) return { status: 'degraded', ...trouble };
    if (damagedSegments > 0) return { status: 'degraded', reason: `${damagedSegments} damaged segment(s) set aside` };
    return depth > 0
      ? { status: 'degraded', reason: `${depth} event(s) wait for the transport`, since: oldestAt ?? 0 }
      : { status: 'up' };
  }
}

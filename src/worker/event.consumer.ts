import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { Log } from '../observability/log.js';
import { EVENTS_PATTERN } from '../transport/topics.js';
import type { Delivery } from '../transport/transport.js';
import { MessageReader } from './message-reader.js';
import { MessageRunner } from './message-runner.js';
import { WorkerMetrics } from './worker-metrics.js';

/** Takes batches of messages from the events topic. */
@Controller()
export class EventConsumer {
  constructor(
    private readonly reader: MessageReader,
    private readonly runner: MessageRunner,
    private readonly log: Log,
    private readonly metrics: WorkerMetrics,
  ) {}

  @EventPattern<string>(EVENTS_PATTERN)
  async consume(@Payload() batch: readonly Delivery[]): Promise<void> {
    const { items, newer } = this.reader.read(batch);
    for (const { delivery, version } of newer) {
      this.metrics.newer();
      this.log.warn('message.newer_than_worker', { position: delivery.position, version });
    }
    await this.runner.run(items);
  }
}

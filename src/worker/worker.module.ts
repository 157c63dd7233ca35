import {
  Inject,
  Module,
  type BeforeApplicationShutdown,
  type OnApplicationBootstrap,
  type Provider,
} from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { AgedRows } from '../event-log/aged-rows.js';
import { CommandSender } from './command-sender.js';
import { DeadLetterConsumer } from './dead-letter.consumer.js';
import { EffectTransaction } from './effect-transaction.js';
import { EventConsumer } from './event.consumer.js';
import { EventFinisher } from './event-finisher.js';
import { EventProcessor } from './event-processor.js';
import { FailureWriter } from './failure-writer.js';
import { HandlerRunner } from './handler-runner.js';
import { KnownRows } from './known-rows.js';
import { MessageReader } from './message-reader.js';
import { MessageRunner } from './message-runner.js';
import { OutboxBatch } from './outbox-batch.js';
import { OutboxRelay } from './outbox-relay.js';
import { PausedRows } from './paused-rows.js';
import { Pauses } from './pauses.js';
import { Purge, PURGE_OPTIONS, type PurgeOptions } from './purge.js';
import { PurgeReport } from './purge-report.js';
import { Rereads } from './rereads.js';
import { RetryConsumer } from './retry-consumer.js';
import { RowRunner } from './row-runner.js';
import { RowSteps } from './row-steps.js';
import { WorkItemFactory } from './work-item-factory.js';
import { WorkerMetrics } from './worker-metrics.js';
import { WORKER_OPTIONS, type WorkerOptions } from './worker-options.js';

const options: Provider = {
  provide: WORKER_OPTIONS,
  inject: [CONFIG],
  useFactory: (config: Config): WorkerOptions => ({
    retryPolicy: { delaysMs: config.retryDelaysMs },
    dlqTopic: config.dlqTopic,
    conflictRetriesMax: 5,
    conflictDelayMs: 20,
    backoffMs: 500,
    backoffMsMax: 10_000,
    // A little longer than a lease, so that a second picker finds the lease ended when it finds the row.
    hideMs: config.leaseTtlMs + 1_000,
    hideEveryMs: Math.floor(config.leaseTtlMs / 3),
    rereadPatienceMs: 600_000,
    rereadEveryMs: 5_000,
    retryPollMs: 200,
    retryBatchMax: 50,
    retryLanes: config.workerLanes,
    outboxPollMs: 500,
    outboxBatchMax: 50,
    outboxAttemptsMax: config.outboxAttemptsMax,
    outboxTimeoutMs: 10_000,
  }),
};

const purgeOptions: Provider = {
  provide: PURGE_OPTIONS,
  inject: [CONFIG],
  useFactory: ({ kept }: Config): PurgeOptions => ({
    agesMs: {
      event_log: kept.eventsMs,
      event_history: kept.historyMs,
      entity_change: kept.changesMs,
      audit: kept.auditMs,
    },
    everyMs: 600_000,
    stepRowsMax: 200,
    pauseMsMin: 20,
  }),
};

/** Everything between a message and its event's outcome. */
@Module({
  controllers: [EventConsumer, DeadLetterConsumer],
  providers: [
    ...[options, WorkerMetrics, WorkItemFactory, MessageReader, MessageRunner, EventProcessor, EffectTransaction],
    ...[
      FailureWriter,
      HandlerRunner,
      EventFinisher,
      KnownRows,
      Pauses,
      PausedRows,
      RowRunner,
      RowSteps,
      Rereads,
      RetryConsumer,
    ],
    ...[OutboxRelay, OutboxBatch, CommandSender, purgeOptions, AgedRows, PurgeReport, Purge],
  ],
})
export class WorkerModule implements OnApplicationBootstrap, BeforeApplicationShutdown {
  constructor(
    private readonly retries: RetryConsumer,
    private readonly relay: OutboxRelay,
    private readonly purge: Purge,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  onApplicationBootstrap(): void {
    this.retries.start();
    this.relay.start();
    this.purge.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    const limitMs = this.config.shutdownLimitMs;
    await Promise.all([this.retries.stop(limitMs), this.relay.stop(limitMs), this.purge.stop(limitMs)]);
  }
}

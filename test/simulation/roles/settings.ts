import type { App, Config } from '../../../src/config/config.js';
import type { EventLeasesOptions } from '../../../src/idempotency/event-leases.js';
import type { SpoolOptions } from '../../../src/callback/file-spool.js';
import type { SubscribeOptions } from '../../../src/transport/transport.js';
import type { WorkerOptions } from '../../../src/worker/worker-options.js';

export const EVENTS_TOPIC = 'events';
export const DLQ_TOPIC = 'dlq';
export const NOTES_TOPIC = 'notes';
export const GROUP = 'workers';

/** Shorter times than in production, in the same proportions: a schedule then holds more of what can happen. */
export const LEASES: EventLeasesOptions = {
  leaseTtlMs: 6_000,
  maxLifeMs: 15_000,
  startMemoryMs: 120_000,
  successTtlMs: 600_000,
};
export const RENEW_EVERY_MS = LEASES.leaseTtlMs / 3;

export const DATABASE = { statementLimitMs: 2_500, lockWaitMs: 1_500, waitTimeoutMs: LEASES.maxLifeMs + 2_000 };
export const GUARD_TIMEOUT_MS = 100;

export const WORKER: WorkerOptions = {
  retryPolicy: { delaysMs: [1_000, 3_000, 6_000] },
  dlqTopic: DLQ_TOPIC,
  conflictRetriesMax: 5,
  conflictDelayMs: 20,
  backoffMs: 500,
  backoffMsMax: 4_000,
  hideMs: LEASES.leaseTtlMs + 1_000,
  hideEveryMs: LEASES.leaseTtlMs / 3,
  rereadPatienceMs: 20_000,
  rereadEveryMs: 2_000,
  retryPollMs: 1_200,
  retryBatchMax: 20,
  retryLanes: 2,
  outboxPollMs: 2_500,
  outboxBatchMax: 20,
  outboxAttemptsMax: 20,
  outboxTimeoutMs: 3_000,
};

export function subscription(topic: string): SubscribeOptions {
  return { topic, group: GROUP, batchSizeMax: 8, lanes: 3 };
}

export function spoolOptions(folder: string): SpoolOptions {
  return {
    folder,
    segmentBytesMax: 20_000,
    bytesMax: 200_000,
    appendTimeoutMs: 1_000,
    drainBatchMax: 5,
    drainRetryDelayMs: 500,
    drainRetryDelayMsMax: 3_000,
    frameBytesMax: 20_000,
  };
}

export function gatewayConfig(instance: string, apps: ReadonlyMap<string, App>): Config {
  const config: Partial<Config> = {
    instance,
    apps,
    eventsTopic: EVENTS_TOPIC,
    guardTimeoutMs: GUARD_TIMEOUT_MS,
    publishTimeoutMs: 1_500,
    spoolTimeoutMs: 1_000,
    hungRequestsMax: 50,
  };
  return config as Config;
}

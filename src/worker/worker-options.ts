import type { RetryPolicy } from './retry-policy.js';

export const WORKER_OPTIONS = Symbol('WORKER_OPTIONS');

export interface WorkerOptions {
  readonly retryPolicy: RetryPolicy;
  readonly dlqTopic: string;
  /** How often a whole transaction is run again after a conflict, before it counts as infrastructure away. */
  readonly conflictRetriesMax: number;
  readonly conflictDelayMs: number;
  /** Pause before an event is tried again while infrastructure is away; doubles up to the maximum. */
  readonly backoffMs: number;
  readonly backoffMsMax: number;
  /** A picked row stays hidden this long from its last renewal: a little longer than a lease. */
  readonly hideMs: number;
  readonly hideEveryMs: number;
  /** How long an event waits for an answer of WeCom's API that rank cannot give, and how often it asks. */
  readonly rereadPatienceMs: number;
  readonly rereadEveryMs: number;
  readonly retryPollMs: number;
  readonly retryBatchMax: number;
  /** Entities whose waiting rows run side by side. */
  readonly retryLanes: number;
  readonly outboxPollMs: number;
  readonly outboxBatchMax: number;
  /** Deliveries of a command before it is dead. */
  readonly outboxAttemptsMax: number;
  readonly outboxTimeoutMs: number;
}

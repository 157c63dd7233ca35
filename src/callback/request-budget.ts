/** How long each dependency may be waited for before WeCom is answered; in milliseconds. */
export interface RequestBudget {
  /** One call of the guard. */
  readonly guardMs: number;
  /** For another gateway's claim to become durable. */
  readonly claimWaitMs: number;
  readonly publishMs: number;
  readonly spoolMs: number;
  /** When a request that hangs on purpose is given up by WeCom for certain. */
  readonly hangMs: number;
}

export interface BudgetLimits {
  readonly guardTimeoutMs: number;
  readonly publishTimeoutMs: number;
  readonly spoolTimeoutMs: number;
}

// Shares of the deadline. Together 80 %: what is left is for the network, and for a busy event loop.
const GUARD_SHARE = 0.1;
const CLAIM_WAIT_SHARE = 0.2;
const PUBLISH_SHARE = 0.3;
const SPOOL_SHARE = 0.2;
const CLAIM_WAIT_MS_MAX = 1_000;
const HANG_MARGIN_MS = 1_000;

/** All limits run out one after another in the worst case, so their sum is what counts (protocol.md, promise 4). */
export function requestBudget(deadlineMs: number, limits: BudgetLimits): RequestBudget {
  return {
    guardMs: Math.min(limits.guardTimeoutMs, deadlineMs * GUARD_SHARE),
    claimWaitMs: Math.min(CLAIM_WAIT_MS_MAX, deadlineMs * CLAIM_WAIT_SHARE),
    publishMs: Math.min(limits.publishTimeoutMs, deadlineMs * PUBLISH_SHARE),
    spoolMs: Math.min(limits.spoolTimeoutMs, deadlineMs * SPOOL_SHARE),
    hangMs: deadlineMs + HANG_MARGIN_MS,
  };
}

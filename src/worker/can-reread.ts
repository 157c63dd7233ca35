import { attemptsMax, type RetryPolicy } from './retry-policy.js';
import type { LeasedItem } from './work-item.js';

export interface RereadLimits {
  readonly retryPolicy: RetryPolicy;
  /** How long an event waits for WeCom's API, from when it was put off; then the rank decides. */
  readonly rereadPatienceMs: number;
}

/**
 * Whether an event may still wait for WeCom's API. Strict entities park behind it, so it must not wait for ever; nor may
 * an entity that moves during each question use up the event's attempts.
 */
export function canReread(item: LeasedItem, { retryPolicy, rereadPatienceMs }: RereadLimits, now: number): boolean {
  if (item.rereadRefused || !item.handler?.handler.rereader?.canAsk(item.identity.app)) return false;
  const { origin } = item;
  if (origin.kind === 'message') return true;
  return now < origin.row.decidedAt + rereadPatienceMs && origin.version.attempt < attemptsMax(retryPolicy);
}

import { driverErrorKind } from '../database/database-errors.js';
import { UnrecoverableError } from '../saga/unrecoverable-error.js';

export interface RetryPolicy {
  /** Wait before the second, third, … run, in milliseconds; its length is the number of retries. */
  readonly delaysMs: readonly number[];
}

export type AfterFailure =
  { readonly kind: 'retry'; readonly delayMs: number } | { readonly kind: 'dead'; readonly reason: string };

const JITTER = 0.2;

/** Runs that an event gets in one generation: the first and its retries. */
export function attemptsMax(policy: RetryPolicy): number {
  return policy.delaysMs.length + 1;
}

/**
 * What follows when run number `attempt` has failed. `fraction` in [0, 1) spreads the delay by ±20 %, so that events
 * which failed together do not come back together.
 */
export function afterFailure(error: unknown, attempt: number, policy: RetryPolicy, fraction: number): AfterFailure {
  if (error instanceof UnrecoverableError) return { kind: 'dead', reason: 'cannot work' };
  const delayMs = policy.delaysMs[attempt - 1];
  if (delayMs === undefined) return { kind: 'dead', reason: `failed ${attempt} times` };
  return { kind: 'retry', delayMs: Math.round(delayMs * (1 - JITTER + 2 * JITTER * fraction)) };
}

const CODE_LENGTH_MAX = 64;
const MESSAGE_LENGTH_MAX = 2_000;

/** A stable code to group dead letters by, and a text of limited length. A handler may throw anything at all. */
export function describeFailure(error: unknown): { code: string; message: string } {
  const fields = typeof error === 'object' && error !== null ? (error as Record<string, unknown>) : {};
  const code = [fields['code'], fields['name'], 'Error'].find(
    (value) => typeof value === 'string' && value !== '',
  ) as string;
  const message = typeof fields['message'] === 'string' ? fields['message'] : textOf(error);
  return { code: code.slice(0, CODE_LENGTH_MAX), message: message.slice(0, MESSAGE_LENGTH_MAX) };
}

/** Objects without a prototype, and those whose `toString` throws, have no text. */
function textOf(value: unknown): string {
  try {
    return String(value);
  } catch {
    return `a thrown ${typeof value} without a text`;
  }
}

/** Infrastructure that a handler met: it is not the event's fault. */
export function isInfrastructure(error: unknown): boolean {
  const kind = driverErrorKind(error);
  return kind === 'conflict' || kind === 'unavailable';
}

import { driverErrorKind } from '../database/database-errors.js';
import { HandlerPausedError } from '../handlers/handler-paused-error.js';
import { UnrecoverableError } from '../saga/unrecoverable-error.js';

export interface RetryPolicy {
  /** Wait before the second, third, … run, in milliseconds; its length is the number of retries. */
  readonly delaysMs: readonly number[];
}

export type AfterFailure =
  | { readonly kind: 'retry'; readonly delayMs: number }
  /** Nothing has failed: it waits for something, at no cost of an attempt. */
  | { readonly kind: 'wait'; readonly delayMs: number }
  | { readonly kind: 'dead'; readonly reason: string };

const JITTER = 0.2;
const PAUSED_LOOK_MS_MIN = 5_000;
const PAUSED_LOOK_MS_MAX = 300_000;

/** Runs that an event gets in one generation: the first and its retries. */
export function attemptsMax(policy: RetryPolicy): number {
  return policy.delaysMs.length + 1;
}

/**
 * What follows when run number `attempt` has failed. `fraction` in [0, 1) spreads the delay by ±20 %, so that events
 * which failed together do not come back together.
 */
export function afterFailure(error: unknown, attempt: number, policy: RetryPolicy, fraction: number): AfterFailure {
  if (error instanceof HandlerPausedError) return { kind: 'wait', delayMs: pausedLookAfterMs(0) };
  if (error instanceof UnrecoverableError) return { kind: 'dead', reason: 'cannot work' };
  const delayMs = policy.delaysMs[attempt - 1];
  if (delayMs === undefined) return { kind: 'dead', reason: `failed ${attempt} times` };
  return { kind: 'retry', delayMs: Math.round(delayMs * (1 - JITTER + 2 * JITTER * fraction)) };
}

/**
 * When an event looks again whether its handler is still paused, having waited so long. A resume wakes what waits; the
 * look is for those that a run wrote while the handler was being resumed (soon), and for a wake-up that was cut off. It
 * grows with the wait, so that a hundred thousand events behind a long pause cost a few hundred looks a second.
 */
export function pausedLookAfterMs(waitedMs: number): number {
  return Math.min(PAUSED_LOOK_MS_MAX, Math.max(PAUSED_LOOK_MS_MIN, waitedMs));
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

import type { AcquireResult, ClaimResult, HolderResult } from './idempotency-store.js';

/**
 * What a guard knows of one key; null stands for `none`. `until` is when the key ends, in whole milliseconds of one clock.
 *
 * Every state remembers its token, also QUEUED and SUCCESS, which nobody holds any more: a repeat of the call that led
 * there has to succeed again.
 */
export type GuardState =
  | { readonly name: 'RECEIVED' | 'QUEUED' | 'SUCCESS'; readonly token: string; readonly until: number }
  | {
      readonly name: 'PROCESSING';
      readonly token: string;
      /** The key outlives the lease by `startMemoryMs`. Until then it is PROCESSING for gateways and free for workers. */
      readonly until: number;
      readonly leaseUntil: number;
      readonly startMemoryMs: number;
      /** This holder has begun the handler. */
      readonly started: boolean;
      /** A holder before this one began the handler and never ended it. */
      readonly earlierStart: boolean;
    };

export type GuardStateName = GuardState['name'];

/** `next` is the very object that came in when nothing changes. */
export interface GuardStep<Result> {
  readonly next: GuardState | null;
  readonly result: Result;
}

const CLAIM_ANSWER = { RECEIVED: 'received', QUEUED: 'queued', PROCESSING: 'processing', SUCCESS: 'success' } as const;

/**
 * An expired lease still answers `processing`: a worker had it, so the event is on the transport or in a row and may be
 * swallowed; and a new claim in its place would wipe the mark of an unfinished start.
 */
export function claim(state: GuardState | null, token: string, ttlMs: number, now: number): GuardStep<ClaimResult> {
  const known = alive(state, now);
  if (known === null || isHeld(known, 'RECEIVED', token)) {
    return { next: { name: 'RECEIVED', token, until: now + ttlMs }, result: 'claimed' };
  }
  return { next: known, result: CLAIM_ANSWER[known.name] };
}

/** On none it does nothing: a worker may have released the key since, and QUEUED would then be a step back. */
export function confirm(state: GuardState | null, token: string, ttlMs: number, now: number): GuardStep<HolderResult> {
  const known = alive(state, now);
  if (!isHeld(known, 'RECEIVED', token) && !isHeld(known, 'QUEUED', token)) return { next: known, result: 'lost' };
  return { next: { name: 'QUEUED', token, until: now + ttlMs }, result: 'done' };
}

/**
 * Takes over whatever nobody works on. An unfinished start is handed down from holder to holder until one of them
 * completes or releases: the next one may die as well before it has written the row that records it.
 */
export function acquire(
  state: GuardState | null,
  token: string,
  life: { readonly ttlMs: number; readonly startMemoryMs: number },
  now: number,
): GuardStep<AcquireResult> {
  const known = alive(state, now);
  if (known?.name === 'SUCCESS') return { next: known, result: { kind: 'success' } };
  const running = known?.name === 'PROCESSING' && known.leaseUntil > now ? known : null;
  if (running !== null && running.token !== token) {
    return { next: running, result: { kind: 'held', remainingMs: running.leaseUntil - now } };
  }
  const left = known?.name === 'PROCESSING' ? known : null;
  // A repeat within the lease asks about those before it; its own start is no news to it.
  const earlierStart = left !== null && (left.earlierStart || (running === null && left.started));
  const next: GuardState = {
    name: 'PROCESSING',
    token,
    until: now + life.ttlMs + life.startMemoryMs,
    leaseUntil: now + life.ttlMs,
    startMemoryMs: life.startMemoryMs,
    started: running?.started ?? false,
    earlierStart,
  };
  return { next, result: { kind: 'acquired', startUnfinished: earlierStart } };
}

/** Refused once the lease has expired: a handler must not begin on a key that another worker may take at any moment. */
export function start(state: GuardState | null, token: string, now: number): GuardStep<HolderResult> {
  const known = alive(state, now);
  if (known?.name !== 'PROCESSING' || known.token !== token || known.leaseUntil <= now) {
    return { next: known, result: 'lost' };
  }
  return { next: known.started ? known : { ...known, started: true }, result: 'done' };
}

export function renew(state: GuardState | null, token: string, ttlMs: number, now: number): GuardStep<HolderResult> {
  const known = alive(state, now);
  if (known?.name !== 'PROCESSING' || known.token !== token || known.leaseUntil <= now) {
    return { next: known, result: 'lost' };
  }
  const leaseUntil = now + ttlMs;
  return { next: { ...known, leaseUntil, until: leaseUntil + known.startMemoryMs }, result: 'done' };
}

/**
 * Succeeds on an expired lease that nobody took over: the row holds an outcome by then, which is a fact, and refusing it
 * would only have the event looked at once more.
 */
export function complete(state: GuardState | null, token: string, ttlMs: number, now: number): GuardStep<HolderResult> {
  const known = alive(state, now);
  if (!isHeld(known, 'PROCESSING', token) && !isHeld(known, 'SUCCESS', token)) return { next: known, result: 'lost' };
  return { next: { name: 'SUCCESS', token, until: now + ttlMs }, result: 'done' };
}

/**
 * None answers `done`: that is what a release leaves behind, so a repeat cannot be told from a first call, and either way
 * the token holds nothing afterwards. An expired lease that nobody took over is released too.
 */
export function release(state: GuardState | null, token: string, now: number): GuardStep<HolderResult> {
  const known = alive(state, now);
  if (known === null || isHeld(known, 'PROCESSING', token)) return { next: null, result: 'done' };
  return { next: known, result: 'lost' };
}

function alive(state: GuardState | null, now: number): GuardState | null {
  return state !== null && state.until > now ? state : null;
}

function isHeld(state: GuardState | null, name: GuardStateName, token: string): boolean {
  return state !== null && state.name === name && state.token === token;
}

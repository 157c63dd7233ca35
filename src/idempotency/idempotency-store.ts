export type ClaimResult =
  /** The key is now RECEIVED with the caller's token. Also on a repeat with the same token. */
  | 'claimed'
  /** Another gateway holds it as RECEIVED: nothing durable is known of yet. */
  | 'received'
  /** Durable: on the transport, in a spool, or in a row. The delivery is a duplicate. */
  | 'queued'
  | 'processing'
  | 'success';

export type AcquireResult =
  /**
   * The caller holds the lease. `startUnfinished`: an earlier holder began the handler and never ended it, so the
   * event may be one that kills its worker.
   */
  | { readonly kind: 'acquired'; readonly startUnfinished: boolean }
  /** Another worker's lease runs for `remainingMs` more. */
  | { readonly kind: 'held'; readonly remainingMs: number }
  /** `event_log` holds an outcome. */
  | { readonly kind: 'success' };

/** `lost`: the key holds another's token. Nothing was changed. (`release` on none is `done`: it may be a repeat.) */
export type HolderResult = 'done' | 'lost';

/**
 * Wall 1: sheds duplicates at the edge and keeps two workers off one event (protocol.md, "Guard states"). A hint, never
 * a fact: it may lose keys, hang or answer late, and wall 3 still keeps the promise.
 *
 * Every method is one atomic step that compares before it sets. Only the holder of a token confirms, starts, renews,
 * completes or releases; a repeat with the same token succeeds again, since the first reply may have been lost.
 * Every method rejects with `GuardUnavailableError` when the store does not answer within its own limit.
 */
export abstract class IdempotencyStore {
  /** Gateway. none → RECEIVED for `ttlMs`; any other state stands and is reported. */
  abstract claim(key: string, token: string, ttlMs: number): Promise<ClaimResult>;

  /** Gateway, after the publish. RECEIVED(token) → QUEUED for `ttlMs`. On none or any later state: `lost`, no change. */
  abstract confirm(key: string, token: string, ttlMs: number): Promise<HolderResult>;

  /**
   * Worker. none, RECEIVED, QUEUED or an expired lease → PROCESSING(token) with a lease of `ttlMs`. The mark of an
   * unfinished start outlives the lease by `startMemoryMs`.
   */
  abstract acquire(key: string, token: string, ttlMs: number, startMemoryMs: number): Promise<AcquireResult>;

  /** Worker, just before the handler: notes that this lease's holder has begun. Idempotent for one token. */
  abstract start(key: string, token: string): Promise<HolderResult>;

  /** Watchdog. Extends the lease to `ttlMs` from now if `token` still holds it and it has not expired. */
  abstract renew(key: string, token: string, ttlMs: number): Promise<HolderResult>;

  /** Worker, only once the row holds an outcome. PROCESSING(token) → SUCCESS for `ttlMs`. */
  abstract complete(key: string, token: string, ttlMs: number): Promise<HolderResult>;

  /** Worker, when the event is left unfinished but safe: PROCESSING(token) → none, with it the mark of a start. */
  abstract release(key: string, token: string): Promise<HolderResult>;

  /** Null while it answers; otherwise since when (ms) it does not, and why. Answers at once. */
  abstract trouble(): { since: number; reason: string } | null;

  abstract close(): Promise<void>;
}

/** The guard did not answer in time. The step may have happened. */
export class GuardUnavailableError extends Error {
  readonly code = 'GUARD_UNAVAILABLE';

  constructor(options?: { cause: unknown }) {
    super('the idempotency store did not answer', options);
    this.name = 'GuardUnavailableError';
  }
}

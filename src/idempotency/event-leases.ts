import type { Clock, Timer } from '../runtime/clock.js';
import type { Random } from '../runtime/random.js';
import { GuardUnavailableError, type HolderResult, type IdempotencyStore } from './idempotency-store.js';
import { LeaseMaxLifeError } from './lease-max-life-error.js';
import type { LeaseWatchdog } from './lease-watchdog.js';

export interface HeldLease {
  readonly key: string;
  /** Null when the guard is down: the run goes on without it, wall 3 decides. */
  readonly token: string | null;
  readonly signal: AbortSignal;
  /** An earlier holder began the handler and never ended it. */
  readonly startUnfinished: boolean;
  stop(): void;
}

export type LeaseResult =
  | { readonly kind: 'leased'; readonly lease: HeldLease }
  | { readonly kind: 'held'; readonly remainingMs: number }
  | { readonly kind: 'success' };

export interface EventLeasesOptions {
  readonly leaseTtlMs: number;
  readonly maxLifeMs: number;
  readonly startMemoryMs: number;
  readonly successTtlMs: number;
}

/** The guard's key of an event. The corp stands in front so that an operator can read it. */
export function guardKey(corpId: string, eventKey: string): string {
  return `${corpId}:${eventKey}`;
}

/** A worker's leases, watched from acquire to complete or release. The guard's absence is an answer here, not an error. */
export class EventLeases {
  constructor(
    private readonly store: IdempotencyStore,
    private readonly watchdog: LeaseWatchdog,
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly options: EventLeasesOptions,
  ) {}

  async acquire(key: string): Promise<LeaseResult> {
    const token = this.random.token();
    try {
      const result = await this.store.acquire(key, token, this.options.leaseTtlMs, this.options.startMemoryMs);
      if (result.kind !== 'acquired') return result;
      const watched = this.watchdog.watch(key, token);
      const lease = {
        key,
        token,
        signal: watched.signal,
        startUnfinished: result.startUnfinished,
        stop: () => watched.stop(),
      };
      return { kind: 'leased', lease };
    } catch (error) {
      if (!(error instanceof GuardUnavailableError)) throw error;
      return { kind: 'leased', lease: this.unguarded(key) };
    }
  }

  /**
   * For a run from a row: the database has said that the event waits, whatever the guard says. A SUCCESS that stands in
   * the way is a leftover, and the run goes on without a lease.
   */
  async acquireForRow(key: string): Promise<Exclude<LeaseResult, { kind: 'success' }>> {
    const result = await this.acquire(key);
    return result.kind === 'success' ? { kind: 'leased', lease: this.unguarded(key) } : result;
  }

  /** To be called just before the handler: a worker that it kills leaves the mark behind. */
  async start(lease: HeldLease): Promise<HolderResult> {
    if (lease.token === null) return 'done';
    const { key, token } = lease;
    return this.answered(() => this.store.start(key, token));
  }

  /** Only when the row holds an outcome. */
  async complete(lease: HeldLease): Promise<void> {
    lease.stop();
    if (lease.token === null) return;
    const { key, token } = lease;
    await this.answered(() => this.store.complete(key, token, this.options.successTtlMs));
  }

  /** When the event is left unfinished but safe. */
  async release(lease: HeldLease): Promise<void> {
    lease.stop();
    if (lease.token === null) return;
    const { key, token } = lease;
    await this.answered(() => this.store.release(key, token));
  }

  /** A guard that does not answer takes nothing from what is committed: the key is left to its expiry. */
  private async answered(step: () => Promise<HolderResult>): Promise<HolderResult> {
    try {
      return await step();
    } catch (error) {
      if (!(error instanceof GuardUnavailableError)) throw error;
      return 'done';
    }
  }

  private unguarded(key: string): HeldLease {
    const abort = new AbortController();
    const { maxLifeMs } = this.options;
    const timer: Timer = this.clock.after(maxLifeMs, () => abort.abort(new LeaseMaxLifeError(key, maxLifeMs)));
    return { key, token: null, signal: abort.signal, startUnfinished: false, stop: () => timer.cancel() };
  }
}

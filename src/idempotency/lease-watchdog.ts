import type { Clock, Timer } from '../runtime/clock.js';
import type { IdempotencyStore } from './idempotency-store.js';
import { LeaseLostError } from './lease-lost-error.js';
import { LeaseMaxLifeError } from './lease-max-life-error.js';

/** A lease that the watchdog keeps alive. */
export interface WatchedLease {
  readonly key: string;
  readonly token: string;
  /** Aborts with `LeaseLostError` or `LeaseMaxLifeError`; the lease is renewed no more from then on. */
  readonly signal: AbortSignal;
  /**
   * Ends the watch; the lease itself stays. To be called just before complete or release: a renewal that the guard sees
   * after one of them would be told that the lease is lost. Idempotent; nothing aborts after it.
   */
  stop(): void;
}

export interface LeaseWatchdogOptions {
  readonly leaseTtlMs: number;
  /** Less than half of `leaseTtlMs`, so that one failed renewal loses nothing. */
  readonly renewEveryMs: number;
  /** Noticed at the renewal that follows, so up to `renewEveryMs` later. */
  readonly maxLifeMs: number;
}

export interface LeaseWatchdogLog {
  warn(entry: Readonly<Record<string, unknown>>): void;
}

interface Watch extends WatchedLease {
  readonly abort: AbortController;
  readonly endsAt: number;
  renewing: boolean;
}

/**
 * Renews leases while their work runs (看门狗). One timer serves all of them, and runs only while there are any: with one
 * each, every event of a few milliseconds would start and cancel a timer.
 *
 * The signal is a hint for the handler to stop early. What keeps a worker from committing after its lease is the key and
 * the version in its transaction (wall 3).
 */
export class LeaseWatchdog {
  private readonly watches = new Set<Watch>();
  private timer: Timer | null = null;

  constructor(
    private readonly store: IdempotencyStore,
    private readonly clock: Clock,
    private readonly options: LeaseWatchdogOptions,
    private readonly log: LeaseWatchdogLog,
  ) {}

  get watchedCount(): number {
    return this.watches.size;
  }

  /** Call it right after `acquire`: the first renewal comes within `renewEveryMs`. */
  watch(key: string, token: string): WatchedLease {
    const abort = new AbortController();
    const watch: Watch = {
      key,
      token,
      signal: abort.signal,
      stop: () => this.remove(watch),
      abort,
      endsAt: this.clock.monotonic() + this.options.maxLifeMs,
      renewing: false,
    };
    this.watches.add(watch);
    this.timer ??= this.clock.every(this.options.renewEveryMs, () => void this.renewAll());
    return watch;
  }

  /** Never rejects: nobody waits for it, and an unhandled rejection would take the whole process down. */
  private async renewAll(): Promise<void> {
    const now = this.clock.monotonic();
    for (const watch of [...this.watches]) {
      if (watch.endsAt <= now) this.end(watch, new LeaseMaxLifeError(watch.key, this.options.maxLifeMs));
    }
    // A renewal still on its way is not joined by another one: a guard that hangs would gather them without limit.
    const due = [...this.watches].filter((watch) => !watch.renewing);
    const failures = (await Promise.all(due.map((watch) => this.renew(watch)))).filter((failure) => failure !== null);
    // One line however many leases there are: they fail together when the guard is away.
    if (failures.length > 0)
      this.warn({ event: 'lease.renewal_failed', leases: failures.length, cause: failures[0]?.reason });
  }

  /** Returns why the guard gave no answer. Such a lease goes on: it may well be ours still, and wall 3 decides. */
  private async renew(watch: Watch): Promise<{ readonly reason: unknown } | null> {
    watch.renewing = true;
    try {
      const result = await this.store.renew(watch.key, watch.token, this.options.leaseTtlMs);
      if (result === 'lost' && this.watches.has(watch)) this.end(watch, new LeaseLostError(watch.key));
      return null;
    } catch (reason) {
      return { reason };
    } finally {
      watch.renewing = false;
    }
  }

  private end(watch: Watch, reason: LeaseLostError | LeaseMaxLifeError): void {
    this.remove(watch);
    this.warn({ event: reason instanceof LeaseLostError ? 'lease.lost' : 'lease.max_life_reached', key: watch.key });
    watch.abort.abort(reason);
  }

  private remove(watch: Watch): void {
    this.watches.delete(watch);
    if (this.watches.size > 0) return;
    this.timer?.cancel();
    this.timer = null;
  }

  private warn(entry: Readonly<Record<string, unknown>>): void {
    try {
      this.log.warn(entry);
    } catch {
      // A log that fails must not keep a signal from aborting.
    }
  }
}

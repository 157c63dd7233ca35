import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../test/support/manual-clock.js';
import { MemoryIdempotencyStore } from './embedded/memory-idempotency-store.js';
import { GuardUnavailableError, type HolderResult } from './idempotency-store.js';
import { LeaseLostError } from './lease-lost-error.js';
import { LeaseMaxLifeError } from './lease-max-life-error.js';
import { LeaseWatchdog } from './lease-watchdog.js';

const OPTIONS = { leaseTtlMs: 30_000, renewEveryMs: 10_000, maxLifeMs: 100_000 };

/** The embedded guard, whose renewals can be made to fail or to hang. */
class FaultyStore extends MemoryIdempotencyStore {
  fault: 'none' | 'down' | 'throws' | 'hangs' = 'none';
  readonly renewed: string[] = [];
  private readonly hanging: (() => void)[] = [];

  override renew(key: string, token: string, ttlMs: number): Promise<HolderResult> {
    this.renewed.push(key);
    if (this.fault === 'down') return Promise.reject(new GuardUnavailableError());
    if (this.fault === 'throws') throw new TypeError('a bug in an adapter');
    if (this.fault === 'none') return super.renew(key, token, ttlMs);
    return new Promise((resolve) => this.hanging.push(() => resolve(super.renew(key, token, ttlMs))));
  }

  answerAll(): void {
    for (const answer of this.hanging.splice(0)) answer();
  }
}

function open() {
  const clock = new ManualClock();
  const store = new FaultyStore(clock, { keysMax: 1_000 });
  const logged: Readonly<Record<string, unknown>>[] = [];
  const watchdog = new LeaseWatchdog(store, clock, OPTIONS, { warn: (entry) => void logged.push(entry) });
  const lease = async (key: string, token = 'ours') => {
    await store.acquire(key, token, OPTIONS.leaseTtlMs, 600_000);
    return watchdog.watch(key, token);
  };
  return { clock, store, logged, watchdog, lease };
}

describe('LeaseWatchdog', () => {
  it('keeps a lease for longer than its time to live (lease-01)', async () => {
    const { clock, store, lease, logged } = open();
    const watched = await lease('k');
    await clock.advance(95_000);
    expect(await store.acquire('k', 'theirs', 30_000, 0)).toMatchObject({ kind: 'held' });
    expect(watched.signal.aborted).toBe(false);
    expect(logged).toEqual([]);
    watched.stop();
  });

  it('stops renewing with stop, so that the lease runs out', async () => {
    const { clock, store, lease } = open();
    const watched = await lease('k');
    watched.stop();
    watched.stop();
    await clock.advance(30_000);
    expect(store.renewed).toEqual([]);
    expect(await store.acquire('k', 'theirs', 30_000, 0)).toMatchObject({ kind: 'acquired' });
    expect(watched.signal.aborted).toBe(false);
  });

  it('uses one timer for all leases, and none when there are none', async () => {
    const { clock, lease, watchdog } = open();
    expect(clock.timerCount).toBe(0);
    const leases = [await lease('a'), await lease('b'), await lease('c')];
    expect(clock.timerCount).toBe(1);
    expect(watchdog.watchedCount).toBe(3);
    leases[0]?.stop();
    leases[1]?.stop();
    expect(clock.timerCount).toBe(1);
    leases[2]?.stop();
    expect(clock.timerCount).toBe(0);
  });

  it('renews again after a time without leases', async () => {
    const { clock, store, lease } = open();
    (await lease('before')).stop();
    await clock.advance(60_000);
    const watched = await lease('after');
    await clock.advance(10_000);
    expect(store.renewed).toEqual(['after']);
    watched.stop();
    expect(clock.timerCount).toBe(0);
  });

  it('renews all leases side by side, so that a slow answer makes none of them late', async () => {
    const { clock, store, lease } = open();
    const leases = [await lease('a'), await lease('b'), await lease('c')];
    store.fault = 'hangs';
    await clock.advance(10_000);
    expect(store.renewed).toEqual(['a', 'b', 'c']);
    store.answerAll();
    for (const watched of leases) watched.stop();
  });

  it('renews a lease that came late within the period, too', async () => {
    const { clock, store, lease } = open();
    const early = await lease('early');
    await clock.advance(9_000);
    const late = await lease('late');
    await clock.advance(1_000);
    expect(store.renewed).toEqual(['early', 'late']);
    early.stop();
    late.stop();
  });

  it('aborts with LeaseLostError when another worker has the lease, and leaves the others alone', async () => {
    const { clock, store, lease, logged, watchdog } = open();
    const lost = await lease('lost');
    const kept = await lease('kept');
    await store.release('lost', 'ours');
    await store.acquire('lost', 'theirs', 600_000, 0);
    await clock.advance(10_000);
    expect(lost.signal.reason).toBeInstanceOf(LeaseLostError);
    expect(lost.signal.reason).toMatchObject({ code: 'LEASE_LOST', key: 'lost' });
    expect(logged).toEqual([{ event: 'lease.lost', key: 'lost' }]);
    expect(kept.signal.aborted).toBe(false);
    expect(watchdog.watchedCount).toBe(1);

    await clock.advance(10_000);
    expect(store.renewed.filter((key) => key === 'lost')).toHaveLength(1);
    expect(await store.renew('lost', 'theirs', 1_000)).toBe('done');
    kept.stop();
  });

  it('aborts when the key is gone from the guard (lease-03)', async () => {
    const { clock, store, lease } = open();
    const watched = await lease('k');
    await store.release('k', 'ours');
    await clock.advance(10_000);
    expect(watched.signal.reason).toBeInstanceOf(LeaseLostError);
    expect(clock.timerCount).toBe(0);
  });

  it('aborts at the first renewal after the process stood still past the lease (lease-02)', async () => {
    const { clock, store, lease } = open();
    const watched = await lease('k');
    // A blocked event loop is a timer that runs late: its renewal reaches the guard after the lease has ended.
    store.fault = 'hangs';
    await clock.advance(31_000);
    expect(watched.signal.aborted).toBe(false);
    store.answerAll();
    await clock.settle();
    expect(watched.signal.reason).toBeInstanceOf(LeaseLostError);
  });

  it('aborts with LeaseMaxLifeError when the handler takes too long, and then lets the lease run out', async () => {
    const { clock, store, lease, logged } = open();
    const watched = await lease('k');
    await clock.advance(99_999);
    expect(watched.signal.aborted).toBe(false);
    await clock.advance(1);
    expect(watched.signal.reason).toBeInstanceOf(LeaseMaxLifeError);
    expect(watched.signal.reason).toMatchObject({ code: 'LEASE_MAX_LIFE', key: 'k', maxLifeMs: 100_000 });
    expect(logged).toEqual([{ event: 'lease.max_life_reached', key: 'k' }]);
    // The worker still writes its retry row under this lease, so it is not ended on the spot.
    expect(await store.acquire('k', 'theirs', 30_000, 0)).toMatchObject({ kind: 'held' });
    await clock.advance(20_000);
    expect(await store.acquire('k', 'theirs', 30_000, 0)).toMatchObject({ kind: 'acquired' });
  });

  it('counts the life of each lease from its own watch', async () => {
    const { clock, lease } = open();
    const older = await lease('older');
    await clock.advance(50_000);
    const younger = await lease('younger');
    await clock.advance(50_000);
    expect([older.signal.aborted, younger.signal.aborted]).toEqual([true, false]);
    await clock.advance(50_000);
    expect(younger.signal.aborted).toBe(true);
  });

  it.each(['down', 'throws'] as const)(
    'goes on without a guard that is %s, and renews when it is back',
    async (fault) => {
      const { clock, store, lease, logged } = open();
      const leases = [await lease('a'), await lease('b')];
      store.fault = fault;
      // An unhandled rejection would fail this run: vitest reports them.
      await clock.advance(10_000);
      expect(logged).toMatchObject([{ event: 'lease.renewal_failed', leases: 2 }]);
      expect(logged[0]?.cause).toBeInstanceOf(fault === 'down' ? GuardUnavailableError : TypeError);
      store.fault = 'none';
      await clock.advance(25_000);
      expect(leases.map((watched) => watched.signal.aborted)).toEqual([false, false]);
      expect(await store.acquire('a', 'theirs', 30_000, 0)).toMatchObject({ kind: 'held' });
      for (const watched of leases) watched.stop();
    },
  );

  it('sends no second renewal of a lease while the first is on its way, and does not wait with the others', async () => {
    const { clock, store, lease } = open();
    const slow = await lease('slow');
    store.fault = 'hangs';
    await clock.advance(10_000);
    store.fault = 'none';
    const quick = await lease('quick');
    await clock.advance(10_000);
    expect(store.renewed).toEqual(['slow', 'quick']);
    store.answerAll();
    await clock.advance(10_000);
    expect(store.renewed).toEqual(['slow', 'quick', 'slow', 'quick']);
    slow.stop();
    quick.stop();
  });

  it('ignores the answer to a renewal that was on its way when the watch was stopped', async () => {
    const { clock, store, lease, logged } = open();
    const watched = await lease('k');
    store.fault = 'hangs';
    await clock.advance(10_000);
    watched.stop();
    await store.complete('k', 'ours', 600_000);
    store.answerAll();
    await clock.settle();
    expect(watched.signal.aborted).toBe(false);
    expect(logged).toEqual([]);
  });

  it('aborts also when the log fails', async () => {
    const clock = new ManualClock();
    const store = new FaultyStore(clock, { keysMax: 10 });
    const log = {
      warn: () => {
        throw new Error('disk full');
      },
    };
    const watched = new LeaseWatchdog(store, clock, OPTIONS, log).watch('never acquired', 'ours');
    await clock.advance(10_000);
    expect(watched.signal.reason).toBeInstanceOf(LeaseLostError);
  });
});

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GuardUnavailableError, type IdempotencyStore } from '../../src/idempotency/idempotency-store.js';
import { describeGuardHistories } from './idempotency-store.histories.js';
import { describeGuardTable } from './idempotency-store.table.js';

export interface IdempotencyStoreHarness {
  /** Opens a store for a process. All that one test opens see the same keys; no other test's keys are seen. */
  make(): Promise<IdempotencyStore>;
  /** Closes what `make` opened since the last call. */
  close(): Promise<void>;
  /** Lets so much of the store's time pass, or a little more. */
  advance(ms: number): Promise<void>;
  readonly features: {
    /** `advance` costs no time and is exact, so that thousands of histories can be tried. */
    readonly exactTime: boolean;
    /** Lives that tests wait for are of this length; all other lives are never waited for. */
    readonly shortMs: number;
  };
}

/** A life that no test outlives. */
export const LONG_MS = 3_600_000;

/** The promise of the port (protocol.md, "Guard states"), for any adapter. */
export function describeIdempotencyStore(name: string, harness: IdempotencyStoreHarness): void {
  describe(name, () => {
    afterEach(() => harness.close());

    describeGuardTable(harness);
    describeExpiry(harness);
    describeUnfinishedStart(harness);
    describeContention(harness);
    // Random histories need a clock that the test moves.
    if (harness.features.exactTime) describeGuardHistories(harness);
  });
}

function describeExpiry(harness: IdempotencyStoreHarness): void {
  const { shortMs } = harness.features;
  let store: IdempotencyStore;
  beforeEach(async () => {
    store = await harness.make();
  });

  describe('expiry', () => {
    it('lets a claim end, so that the next delivery is claimed', async () => {
      await store.claim('k', 'a', shortMs);
      expect(await store.claim('k', 'b', LONG_MS)).toBe('received');
      await harness.advance(shortMs);
      expect(await store.confirm('k', 'a', LONG_MS)).toBe('lost');
      expect(await store.claim('k', 'b', LONG_MS)).toBe('claimed');
    });

    it('forgets that an event is queued after the life that confirm gave, not the one of the claim', async () => {
      await store.claim('k', 'a', LONG_MS);
      await store.confirm('k', 'a', shortMs);
      expect(await store.claim('k', 'b', LONG_MS)).toBe('queued');
      await harness.advance(shortMs);
      expect(await store.claim('k', 'b', LONG_MS)).toBe('claimed');
    });

    it('forgets an outcome after the life that complete gave', async () => {
      await store.acquire('k', 'a', LONG_MS, LONG_MS);
      await store.complete('k', 'a', shortMs);
      expect(await store.claim('k', 'b', LONG_MS)).toBe('success');
      await harness.advance(shortMs);
      expect(await store.claim('k', 'b', LONG_MS)).toBe('claimed');
    });

    it('says how long a lease still runs, and gives it to the next worker after that time', async () => {
      await store.acquire('k', 'a', shortMs, LONG_MS);
      const refused = await store.acquire('k', 'b', shortMs, LONG_MS);
      if (refused.kind !== 'held') throw new Error(`expected held, got ${refused.kind}`);
      expect(refused.remainingMs).toBeGreaterThan(0);
      expect(refused.remainingMs).toBeLessThanOrEqual(shortMs);
      await harness.advance(refused.remainingMs);
      expect(await store.acquire('k', 'b', LONG_MS, LONG_MS)).toEqual({ kind: 'acquired', startUnfinished: false });
    });

    it('measures a renewed lease from the renewal', async () => {
      await store.acquire('k', 'a', shortMs, LONG_MS);
      expect(await store.renew('k', 'a', LONG_MS)).toBe('done');
      await harness.advance(shortMs);
      expect(await store.acquire('k', 'b', LONG_MS, LONG_MS)).toMatchObject({ kind: 'held' });
      expect(await store.renew('k', 'a', shortMs)).toBe('done');
      await harness.advance(shortMs);
      expect(await store.acquire('k', 'b', LONG_MS, LONG_MS)).toMatchObject({ kind: 'acquired' });
    });

    it('swallows deliveries while an expired lease is remembered, and claims them afterwards', async () => {
      await store.acquire('k', 'a', shortMs, shortMs);
      await harness.advance(shortMs);
      expect(await store.claim('k', 'b', LONG_MS)).toBe('processing');
      await harness.advance(shortMs);
      expect(await store.claim('k', 'b', LONG_MS)).toBe('claimed');
    });
  });
}

function describeUnfinishedStart(harness: IdempotencyStoreHarness): void {
  const { shortMs } = harness.features;
  let store: IdempotencyStore;
  beforeEach(async () => {
    store = await harness.make();
  });
  const acquire = (token: string, ttlMs = LONG_MS) => store.acquire('k', token, ttlMs, LONG_MS);

  describe('an unfinished start', () => {
    it('is reported to the worker that takes over the lease', async () => {
      await acquire('a', shortMs);
      await store.start('k', 'a');
      await harness.advance(shortMs);
      expect(await acquire('b')).toEqual({ kind: 'acquired', startUnfinished: true });
    });

    it('is not reported when the holder died before it began', async () => {
      await acquire('a', shortMs);
      await harness.advance(shortMs);
      expect(await acquire('b')).toEqual({ kind: 'acquired', startUnfinished: false });
    });

    it('is reported again to a worker that repeats its acquire, whose answer may have been lost', async () => {
      await acquire('a', shortMs);
      await store.start('k', 'a');
      await harness.advance(shortMs);
      await acquire('b');
      expect(await acquire('b')).toEqual({ kind: 'acquired', startUnfinished: true });
    });

    it('is handed down when the worker that learned of it dies before it has begun', async () => {
      await acquire('a', shortMs);
      await store.start('k', 'a');
      await harness.advance(shortMs);
      await acquire('b', shortMs);
      await harness.advance(shortMs);
      expect(await acquire('c')).toEqual({ kind: 'acquired', startUnfinished: true });
    });

    it('is no news to the holder itself, and its mark outlives a repeated acquire', async () => {
      await acquire('a');
      await store.start('k', 'a');
      expect(await acquire('a', shortMs)).toEqual({ kind: 'acquired', startUnfinished: false });
      await harness.advance(shortMs);
      expect(await acquire('b')).toEqual({ kind: 'acquired', startUnfinished: true });
    });

    it('survives renewals', async () => {
      await acquire('a');
      await store.start('k', 'a');
      await store.renew('k', 'a', shortMs);
      await harness.advance(shortMs);
      expect(await acquire('b')).toEqual({ kind: 'acquired', startUnfinished: true });
    });

    it('is forgotten with a release', async () => {
      await acquire('a');
      await store.start('k', 'a');
      await store.release('k', 'a');
      expect(await acquire('b')).toEqual({ kind: 'acquired', startUnfinished: false });
    });

    it('is remembered as long as asked after the end of the last lease, and no longer', async () => {
      await store.acquire('k', 'a', LONG_MS, shortMs);
      await store.start('k', 'a');
      await store.renew('k', 'a', shortMs);
      await harness.advance(2 * shortMs);
      expect(await acquire('b')).toEqual({ kind: 'acquired', startUnfinished: false });
    });
  });
}

function describeContention(harness: IdempotencyStoreHarness): void {
  const { shortMs } = harness.features;
  let first: IdempotencyStore;
  let second: IdempotencyStore;
  beforeEach(async () => {
    first = await harness.make();
    second = await harness.make();
  });

  describe('two processes', () => {
    it('lets exactly one of many claims at once through', async () => {
      const claims = Array.from({ length: 20 }, (_, i) => (i % 2 ? first : second).claim('k', `gateway-${i}`, LONG_MS));
      const results = await Promise.all(claims);
      expect(results.filter((result) => result === 'claimed')).toHaveLength(1);
      expect(results.filter((result) => result === 'received')).toHaveLength(19);
    });

    it('gives the lease to exactly one of many workers at once', async () => {
      const tokens = Array.from({ length: 20 }, (_, i) => `worker-${i}`);
      const results = await Promise.all(
        tokens.map((token, i) => (i % 2 ? first : second).acquire('k', token, LONG_MS, LONG_MS)),
      );
      const winners = tokens.filter((_, i) => results[i]?.kind === 'acquired');
      expect(winners).toHaveLength(1);
      expect(await second.renew('k', winners[0] ?? '', LONG_MS)).toBe('done');
    });

    it('keeps keys apart', async () => {
      await first.acquire('wecom:event:{corp:1}', 'a', LONG_MS, LONG_MS);
      expect(await second.claim('wecom:event:{corp:2}', 'b', LONG_MS)).toBe('claimed');
      expect(await second.claim('wecom:event:{corp:1}', 'b', LONG_MS)).toBe('processing');
    });

    it('refuses the confirm of a gateway that a worker overtook, whatever became of the event since', async () => {
      await first.claim('k', 'gateway', LONG_MS);
      await second.acquire('k', 'worker', LONG_MS, LONG_MS);
      expect(await first.confirm('k', 'gateway', LONG_MS)).toBe('lost');
      await second.release('k', 'worker');
      expect(await first.confirm('k', 'gateway', LONG_MS)).toBe('lost');
      expect(await first.acquire('k', 'worker-2', LONG_MS, LONG_MS)).toMatchObject({ kind: 'acquired' });
      await first.complete('k', 'worker-2', LONG_MS);
      expect(await first.confirm('k', 'gateway', LONG_MS)).toBe('lost');
      expect(await first.claim('k', 'gateway', LONG_MS)).toBe('success');
    });

    it('keeps a successor safe from a late worker (guard-04)', async () => {
      await first.acquire('k', 'late', shortMs, LONG_MS);
      await first.start('k', 'late');
      await harness.advance(shortMs);
      await second.acquire('k', 'successor', LONG_MS, LONG_MS);

      expect(await first.renew('k', 'late', LONG_MS)).toBe('lost');
      expect(await first.start('k', 'late')).toBe('lost');
      expect(await first.complete('k', 'late', LONG_MS)).toBe('lost');
      expect(await first.release('k', 'late')).toBe('lost');

      expect(await first.acquire('k', 'third', LONG_MS, LONG_MS)).toMatchObject({ kind: 'held' });
      expect(await second.renew('k', 'successor', LONG_MS)).toBe('done');
      expect(await second.complete('k', 'successor', LONG_MS)).toBe('done');
    });

    it('answers nobody after close', async () => {
      await first.close();
      await expect(first.claim('k', 'a', LONG_MS)).rejects.toBeInstanceOf(GuardUnavailableError);
      await expect(first.release('k', 'a')).rejects.toMatchObject({ code: 'GUARD_UNAVAILABLE' });
    });

    it('reports no trouble while it answers', async () => {
      await first.claim('k', 'a', LONG_MS);
      expect(first.trouble()).toBeNull();
    });
  });
}

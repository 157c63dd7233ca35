import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { MemoryIdempotencyStore } from './memory-idempotency-store.js';

const MINUTE_MS = 60_000;

function open(keysMax: number): { clock: ManualClock; store: MemoryIdempotencyStore } {
  const clock = new ManualClock();
  return { clock, store: new MemoryIdempotencyStore(clock, { keysMax }) };
}

async function succeed(store: MemoryIdempotencyStore, key: string, ttlMs = MINUTE_MS): Promise<void> {
  await store.acquire(key, 'w', MINUTE_MS, MINUTE_MS);
  await store.complete(key, 'w', ttlMs);
}

describe('MemoryIdempotencyStore', () => {
  it('makes room by forgetting the oldest outcome, by when it was written', async () => {
    const { store } = open(3);
    await store.acquire('first acquired, last completed', 'w', MINUTE_MS, MINUTE_MS);
    await succeed(store, 'oldest outcome');
    await succeed(store, 'middle outcome');
    await store.complete('first acquired, last completed', 'w', MINUTE_MS);

    await store.claim('new', 'g', MINUTE_MS);
    expect(store.keyCount).toBe(3);
    expect(await store.claim('middle outcome', 'g', MINUTE_MS)).toBe('success');
    expect(await store.claim('first acquired, last completed', 'g', MINUTE_MS)).toBe('success');
    expect(await store.claim('oldest outcome', 'g', MINUTE_MS)).toBe('claimed');
  });

  it.each([
    [1, ['success']],
    [2, ['success', 'queued']],
    [3, ['success', 'queued', 'received']],
    [4, ['success', 'queued', 'received', 'lease']],
  ])('forgets what is cheapest to lose: %i keys too many', async (added, expected) => {
    const { store } = open(4);
    await store.acquire('lease', 'w', MINUTE_MS, MINUTE_MS);
    await store.claim('received', 'g', MINUTE_MS);
    await store.claim('queued', 'g', MINUTE_MS);
    await store.confirm('queued', 'g', MINUTE_MS);
    await succeed(store, 'success');
    for (let i = 0; i < added; i += 1) await store.acquire(`new-${i}`, 'w', MINUTE_MS, MINUTE_MS);

    expect(store.keyCount).toBe(4);
    const gone: string[] = [];
    if ((await store.complete('success', 'w', MINUTE_MS)) === 'lost') gone.push('success');
    if ((await store.confirm('queued', 'g', MINUTE_MS)) === 'lost') gone.push('queued');
    if ((await store.confirm('received', 'g', MINUTE_MS)) === 'lost') gone.push('received');
    if ((await store.renew('lease', 'w', MINUTE_MS)) === 'lost') gone.push('lease');
    expect(gone).toEqual(expected);
  });

  it('drops a new claim rather than a running lease', async () => {
    const { store } = open(2);
    await store.acquire('lease-1', 'w', MINUTE_MS, MINUTE_MS);
    await store.acquire('lease-2', 'w', MINUTE_MS, MINUTE_MS);
    expect(await store.claim('new', 'g', MINUTE_MS)).toBe('claimed');
    expect(store.keyCount).toBe(2);
    expect(await store.renew('lease-1', 'w', MINUTE_MS)).toBe('done');
    expect(await store.renew('lease-2', 'w', MINUTE_MS)).toBe('done');
  });

  it('sweeps expired keys while others are written, so that they push out no living outcome', async () => {
    const { clock, store } = open(200);
    await succeed(store, 'living');
    for (let i = 0; i < 100; i += 1) await store.claim(`dead-${i}`, 'g', 1_000);
    await clock.advance(1_000);
    await store.claim('new', 'g', MINUTE_MS);
    expect(store.keyCount, 'one call does not pay for all').toBe(100);
    for (let i = 1; i < 50; i += 1) await store.claim(`new-${i}`, 'g', MINUTE_MS);
    expect(store.keyCount).toBe(51);
    expect(await store.claim('living', 'g', MINUTE_MS)).toBe('success');
  });

  it('drops an expired key that is looked at, even when the call is refused', async () => {
    const { clock, store } = open(10);
    await store.claim('k', 'g', 1_000);
    await clock.advance(1_000);
    expect(await store.confirm('k', 'g', MINUTE_MS)).toBe('lost');
    expect(store.keyCount).toBe(0);
  });

  it('ends no lease and keeps no key when the wall clock steps', async () => {
    const { clock, store } = open(10);
    await store.acquire('k', 'w', 30_000, MINUTE_MS);
    clock.stepWallClock(3_600_000);
    expect(await store.acquire('k', 'other', 30_000, MINUTE_MS)).toEqual({ kind: 'held', remainingMs: 30_000 });
    clock.stepWallClock(-7_200_000);
    await clock.advance(30_000);
    expect(await store.acquire('k', 'other', 30_000, MINUTE_MS)).toMatchObject({ kind: 'acquired' });
  });

  it('tells the time left in whole milliseconds, also between two of them', async () => {
    const { clock, store } = open(10);
    await clock.advance(0.75);
    await store.acquire('k', 'w', 100, 100);
    await clock.advance(0.75);
    expect(await store.acquire('k', 'other', 100, 100)).toEqual({ kind: 'held', remainingMs: 99 });
  });

  it('sets no timer', async () => {
    const { clock, store } = open(10);
    await store.claim('k', 'g', MINUTE_MS);
    await succeed(store, 'other');
    expect(clock.timerCount).toBe(0);
  });
});

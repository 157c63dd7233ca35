import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { GuardAddress } from '../../src/config/guard-address.js';
import { GuardUnavailableError, type IdempotencyStore } from '../../src/idempotency/idempotency-store.js';
import { openGuard, type GuardLine } from '../support/redis-guard.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { until } from '../support/until.js';

const LONG_MS = 3_600_000;

describeWithRedis('the guard and what a Redis allows', () => {
  let server: RedisServer;
  let redis: Redis;
  const stores: IdempotencyStore[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = server.client();
  });

  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await redis.flushall();
  });

  afterAll(() => server.stop());

  async function open(address: Partial<GuardAddress> = {}, limits: { openLimitMs?: number } = {}) {
    const opened = await openGuard({ ...server.address, ...address }, limits);
    stores.push(opened.store);
    return opened;
  }

  const named = (lines: readonly GuardLine[], event: string) => lines.filter((line) => line.event === event);

  it('says why it is let in or not, but neither password nor address', async () => {
    await redis.config('SET', 'requirepass', 'the-right-one');
    try {
      const right = await open({ password: 'the-right-one' });
      expect(await right.store.claim('k', 'a', LONG_MS)).toBe('claimed');
      const wrong = await open({ password: 'the-wrong-one' }, { openLimitMs: 300 });
      await until(() => wrong.store.trouble()?.reason === 'Redis answered WRONGPASS');
      const none = await open({}, { openLimitMs: 300 });
      await until(() => none.store.trouble()?.reason === 'Redis answered NOAUTH');
      const told = JSON.stringify([wrong.lines, wrong.store.trouble(), none.lines]);
      for (const secret of ['the-right-one', 'the-wrong-one', '127.0.0.1']) expect(told).not.toContain(secret);
    } finally {
      await redis.config('SET', 'requirepass', '');
    }
  });

  it('needs no rights but those that the documents name', async () => {
    const rights = '~wecom:event:* +evalsha +eval +get +set +setrange +del +time +info +client|setname +select';
    await redis.acl('SETUSER', 'gateway', 'on', '>pass word', ...rights.split(' '));
    const { store, lines } = await open({ username: 'gateway', password: 'pass word' });
    expect(await store.acquire('k', 'w', LONG_MS, LONG_MS)).toMatchObject({ kind: 'acquired' });
    expect(await store.start('k', 'w')).toBe('done');
    expect(await store.renew('k', 'w', LONG_MS)).toBe('done');
    expect(await store.complete('k', 'w', LONG_MS)).toBe('done');
    expect(await store.acquire('k2', 'w', LONG_MS, LONG_MS)).toMatchObject({ kind: 'acquired' });
    expect(await store.release('k2', 'w')).toBe('done');
    expect(lines.map(({ event }) => event)).toEqual(['guard.connected']);
  });

  it('warns of a server that may evict keys, and of no other', async () => {
    const quiet = await open();
    await redis.config('SET', 'maxmemory-policy', 'allkeys-lru');
    try {
      const warned = await open();
      await until(() => named(warned.lines, 'guard.eviction_allowed').length > 0);
      expect(named(warned.lines, 'guard.eviction_allowed')[0]?.fields).toMatchObject({ policy: 'allkeys-lru' });
      expect(named(quiet.lines, 'guard.eviction_allowed')).toEqual([]);
    } finally {
      await redis.config('SET', 'maxmemory-policy', 'noeviction');
    }
  });

  it('goes on without a Redis that is full, until there is room again', async () => {
    const { store } = await open();
    await redis.config('SET', 'maxmemory', '1');
    try {
      for (let n = 0; n < 3; n += 1)
        await expect(store.claim(`k${n}`, 'a', LONG_MS)).rejects.toBeInstanceOf(GuardUnavailableError);
      expect(store.trouble()?.reason).toBe('Redis answered OOM');
    } finally {
      await redis.config('SET', 'maxmemory', '0');
    }
    await until(() => store.trouble() === null);
    expect(await store.claim('k', 'a', LONG_MS)).toBe('claimed');
  });
});

import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { RedlockClusterLock } from '../../src/cluster/redlock-cluster-lock.js';
import type { GuardAddress } from '../../src/config/guard-servers.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { GuardUnavailableError, type IdempotencyStore } from '../../src/idempotency/idempotency-store.js';
import { RedisClusterServer } from '../support/redis-cluster-server.js';
import { RedisSentinelServer } from '../support/redis-sentinel-server.js';
import { openGuard, type GuardLine } from '../support/redis-guard.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { until } from '../support/until.js';

const LONG_MS = 3_600_000;

// What docs/operations.md and ADR 0006 tell operators to grant.
const RIGHTS = '~wecom:event:* +evalsha +eval +get +set +setrange +del +time +info +client|setname +select';
const CLUSTER_RIGHTS = '+asking +cluster|slots';
const SENTINEL_RIGHTS = '+sentinel|get-master-addr-by-name +client|setname';
const LOCK_RIGHTS = '~wecom:lock:* +evalsha +eval +get +set +exists +del +info +client|setname +select';

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
    await redis.acl('SETUSER', 'gateway', 'on', '>pass word', ...RIGHTS.split(' '));
    const { store, lines } = await open({ username: 'gateway', password: 'pass word' });
    expect(await store.acquire('k', 'w', LONG_MS, LONG_MS)).toMatchObject({ kind: 'acquired' });
    expect(await store.start('k', 'w')).toBe('done');
    expect(await store.renew('k', 'w', LONG_MS)).toBe('done');
    expect(await store.complete('k', 'w', LONG_MS)).toBe('done');
    expect(await store.acquire('k2', 'w', LONG_MS, LONG_MS)).toMatchObject({ kind: 'acquired' });
    expect(await store.release('k2', 'w')).toBe('done');
    expect(lines.map(({ event }) => event)).toEqual(['guard.connected']);
  });

  it('needs no rights but those that the documents name, on each server of a cluster', async () => {
    const cluster = await RedisClusterServer.start();
    try {
      for (const { client } of cluster.nodes)
        await client.acl('SETUSER', 'gateway', 'on', '>pass word', ...`${RIGHTS} ${CLUSTER_RIGHTS}`.split(' '));
      const account = { username: 'gateway', password: 'pass word' };
      const seeds = cluster.nodes.map(({ server: { address } }) => ({ ...address, ...account }));
      const { store, lines } = await openGuard({ kind: 'cluster', seeds });
      stores.push(store);
      for (let n = 0; n < 20; n += 1) {
        expect(await store.acquire(`k${n}`, 'w', LONG_MS, LONG_MS)).toMatchObject({ kind: 'acquired' });
        expect(await store.start(`k${n}`, 'w')).toBe('done');
        expect(await store.complete(`k${n}`, 'w', LONG_MS)).toBe('done');
      }
      expect(new Set(lines.map(({ event }) => event))).toEqual(new Set(['guard.connected']));
      // Nobody may ask what the account may not: the servers count what they refuse.
      for (const { client } of cluster.nodes) {
        expect(await client.acl('LOG')).toEqual([]);
        await client.acl('DELUSER', 'gateway');
      }
      await until(() => store.trouble() !== null);
      expect(store.trouble()?.reason).toMatch(/WRONGPASS|NOAUTH|connection/);
    } finally {
      await cluster.stop();
    }
  });

  it('needs an account of its own for Sentinels, with the right to one question', async () => {
    const watched = await RedisSentinelServer.start();
    try {
      for (const { client } of watched.data.map((one) => ({ client: one.client() })))
        await client.acl('SETUSER', 'gateway', 'on', '>pass word', ...RIGHTS.split(' '));
      for (const { client } of watched.sentinels)
        await client.acl('SETUSER', 'asker', 'on', '>asks', ...SENTINEL_RIGHTS.split(' '));
      const { sentinels, ...others } = watched.servers;
      const servers = {
        ...others,
        master: { ...others.master, username: 'gateway', password: 'pass word' },
        sentinels: sentinels.map((one) => ({ ...one, username: 'asker', password: 'asks' })),
      };
      const { store } = await openGuard(servers);
      stores.push(store);
      expect(store.trouble()).toBeNull();
      expect(await store.claim('k', 'a', LONG_MS)).toBe('claimed');
      for (const { client } of watched.sentinels) expect(await client.acl('LOG')).toEqual([]);
      const wrong = await openGuard(
        { ...servers, sentinels: sentinels.map((one) => ({ ...one, username: 'asker', password: 'wrong' })) },
        { openLimitMs: 300 },
      );
      stores.push(wrong.store);
      await until(() => wrong.store.trouble()?.reason === 'no Sentinel names a master (WRONGPASS)');
    } finally {
      await watched.stop();
    }
  });

  it('lets the lock work with the rights that the documents name', async () => {
    await redis.acl('LOG', 'RESET');
    await redis.acl('SETUSER', 'locker', 'on', '>pw', ...LOCK_RIGHTS.split(' '));
    const servers = { kind: 'single', address: { ...server.address, username: 'locker', password: 'pw' } } as const;
    const options = { servers, ttlMs: 900, timeoutMs: 400, openLimitMs: 5_000 };
    const lock = await RedlockClusterLock.open(new SystemClock(), { warn: () => undefined }, options);
    try {
      // Longer than a life, so that it is renewed as well.
      const ended = performance.now() + 2_000;
      const run = await lock.run('job', async (signal) => {
        await until(() => performance.now() > ended);
        return signal.aborted;
      });
      expect(run).toEqual({ kind: 'ran', isGuarded: true, value: false });
      expect(await redis.acl('LOG')).toEqual([]);
    } finally {
      await lock.close();
    }
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

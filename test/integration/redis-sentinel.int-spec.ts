import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { GuardServers } from '../../src/config/guard-servers.js';
import type { IdempotencyStore } from '../../src/idempotency/idempotency-store.js';
import { describeIdempotencyStore } from '../contract/idempotency-store.suite.js';
import { end, GuardLedger } from '../support/guard-ledger.js';
import { openGuard } from '../support/redis-guard.js';
import { RedisSentinelServer } from '../support/redis-sentinel-server.js';
import { describeWithRedis } from '../support/redis-server.js';
import { until } from '../support/until.js';

const LONG_MS = 3_600_000;
const LIMIT_MS = 200;
/** The limit and what a busy machine adds to it. */
const LIMIT_MS_SEEN = 1_000;

describeWithRedis('the guard on a master that Sentinels appoint', () => {
  let watched: RedisSentinelServer;
  const stores: IdempotencyStore[] = [];

  beforeAll(async () => {
    watched = await RedisSentinelServer.start();
  }, 60_000);

  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await (await watched.master()).client().flushall();
  });

  afterAll(() => watched.stop());

  async function open(
    limits: { timeoutMs?: number; openLimitMs?: number } = {},
    servers: GuardServers = watched.servers,
  ) {
    const opened = await openGuard(servers, limits);
    stores.push(opened.store);
    return opened;
  }

  const isWell = (store: IdempotencyStore) =>
    until(() => store.trouble() === null, 20_000, `the guard is back, not: ${store.trouble()?.reason}`);

  async function nowMs(): Promise<number> {
    const [seconds, micros] = (await clock?.time()) ?? [0, 0];
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }
  let clock: ReturnType<RedisSentinelServer['data'][number]['client']> | undefined;
  beforeAll(() => {
    clock = watched.data[0]?.client();
  });

  describeIdempotencyStore('RedisIdempotencyStore', {
    make: async () => (await open()).store,
    close: async () => undefined,
    advance: async (ms) => {
      const target = (await nowMs()) + ms + 1;
      await until(async () => (await nowMs()) > target);
    },
    features: { exactTime: false, shortMs: 200 },
  });

  describe('when the master changes', () => {
    it('follows a planned change, and takes the old one for what it is then', async () => {
      const { store } = await open({ timeoutMs: LIMIT_MS });
      const old = await watched.master();
      const ledger = new GuardLedger(store);
      const load = ledger.load();
      await until(() => ledger.completedCount > 200);
      await watched.failover();
      const now = await watched.masterIsNot(old);
      await until(async () => (await old.client().info('replication')).includes('role:slave'));
      await isWell(store);
      const before = ledger.completedCount;
      await until(() => ledger.completedCount > before + 200);
      await load.stop();
      expect(ledger.faults).toEqual([]);
      expect(ledger.slowestMs).toBeLessThan(LIMIT_MS_SEEN);
      expect(await store.claim('where', 'a', LONG_MS)).toBe('claimed');
      expect(await now.client().exists('wecom:event:{where}')).toBe(1);
    });

    it('goes on after the master was killed, and when it is back as a replica', async () => {
      const { store, lines } = await open({ timeoutMs: LIMIT_MS });
      const old = await watched.master();
      const ledger = new GuardLedger(store);
      const load = ledger.load();
      await until(() => ledger.completedCount > 200);
      await old.kill();
      await until(() => store.trouble() !== null);
      await watched.masterIsNot(old);
      await isWell(store);
      const before = ledger.completedCount;
      await until(() => ledger.completedCount > before + 200);
      // It comes back as the master that it was, and is told otherwise by the Sentinels.
      await old.run();
      await until(async () => (await old.client().info('replication')).includes('role:slave'), 30_000);
      const again = ledger.completedCount;
      await until(() => ledger.completedCount > again + 200);
      await load.stop();
      await watched.agreed();
      expect(ledger.faults).toEqual([]);
      expect(ledger.unavailableCount).toBeGreaterThan(0);
      expect(ledger.slowestMs).toBeLessThan(LIMIT_MS_SEEN);
      // One line an outage: on a busy machine the master that comes back may cost a second one.
      const states = lines.map(({ event }) => event).filter((event) => /^guard\.(lost|connected)$/.test(event));
      expect(states[states.length - 1]).toBe('guard.connected');
      expect(states.some((event, at) => event === 'guard.lost' && states[at + 1] === event)).toBe(false);
      expect(states).toContain('guard.lost');
    });

    it('leaves a master that hangs for the one that takes its place', async () => {
      const { store } = await open({ timeoutMs: LIMIT_MS });
      const old = await watched.master();
      old.pause();
      try {
        await watched.masterIsNot(old);
        await isWell(store);
        expect(await store.claim('k', 'a', LONG_MS)).toBe('claimed');
      } finally {
        old.resume();
      }
      await until(async () => (await old.client().info('replication')).includes('role:slave'), 30_000);
      await watched.agreed();
      expect(await store.claim('k', 'b', LONG_MS)).toBe('received');
    });
  });

  describe('when Sentinels fail', () => {
    const [first, ...others] = [0, 1, 2];

    it('asks the next one when one hangs, and needs none while the master stays', async () => {
      watched.sentinels[first ?? 0]?.child.kill('SIGSTOP');
      try {
        const { store } = await open({ openLimitMs: 10_000 });
        expect(store.trouble()).toBeNull();
        for (const n of others) watched.sentinels[n]?.child.kill('SIGSTOP');
        expect(await store.claim('k', 'a', LONG_MS)).toBe('claimed');
      } finally {
        for (const { child } of watched.sentinels) child.kill('SIGCONT');
      }
    });

    it('opens without them within its limit, and finds them when they answer', async () => {
      for (const { child } of watched.sentinels) child.kill('SIGSTOP');
      let store: IdempotencyStore;
      try {
        const began = performance.now();
        ({ store } = await open({ openLimitMs: 2_000 }));
        expect(performance.now() - began).toBeLessThan(3_000);
        expect(store.trouble()).not.toBeNull();
        expect(await end(store.claim('k', 'a', LONG_MS))).toMatchObject({ outcome: 'unavailable' });
        await until(() => store.trouble()?.reason === 'no Sentinel names a master');
      } finally {
        for (const { child } of watched.sentinels) child.kill('SIGCONT');
      }
      await isWell(store);
      expect(await store.claim('k', 'a', LONG_MS)).toBe('claimed');
    });

    it('says that they know of no master of that name', async () => {
      const { store } = await open({ openLimitMs: 500 }, { ...watched.servers, masterName: 'another' });
      await until(() => store.trouble()?.reason === 'no Sentinel names a master');
    });
  });
});

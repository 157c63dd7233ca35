import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { IdempotencyStore } from '../../src/idempotency/idempotency-store.js';
import { slotOf } from '../../src/redis/cluster-map.js';
import { describeIdempotencyStore } from '../contract/idempotency-store.suite.js';
import { end, GuardLedger } from '../support/guard-ledger.js';
import { openGuard } from '../support/redis-guard.js';
import { idOf, RedisClusterServer, type ClusterNode } from '../support/redis-cluster-server.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { until } from '../support/until.js';

const LONG_MS = 3_600_000;
const LIMIT_MS = 200;
/** The limit and what a busy machine adds to it. */
const LIMIT_MS_SEEN = 1_000;

/** A key on one of these slots. */
function keyOn(first: number, last: number, n = 0): string {
  for (let tried = 0; ; tried += 1) {
    const key = `k${n}.${tried}`;
    const slot = slotOf(key);
    if (slot >= first && slot <= last) return key;
  }
}

describeWithRedis('the guard on a real cluster', () => {
  let cluster: RedisClusterServer;
  const stores: IdempotencyStore[] = [];

  beforeAll(async () => {
    cluster = await RedisClusterServer.start();
  }, 60_000);

  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await cluster.flush();
  });

  afterAll(() => cluster.stop());

  async function open(limits: { timeoutMs?: number; openLimitMs?: number } = {}) {
    const opened = await openGuard(cluster.servers, limits);
    stores.push(opened.store);
    return opened;
  }

  const isWell = (store: IdempotencyStore) =>
    until(() => store.trouble() === null, 20_000, `the guard is back, not: ${store.trouble()?.reason}`);

  async function nowMs(): Promise<number> {
    const [seconds, micros] = (await cluster.nodes[0]?.client.time()) ?? [0, 0];
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  describeIdempotencyStore('RedisIdempotencyStore', {
    make: async () => (await open()).store,
    close: async () => undefined,
    advance: async (ms) => {
      const target = (await nowMs()) + ms + 1;
      await until(async () => (await nowMs()) > target);
    },
    features: { exactTime: false, shortMs: 200 },
  });

  describe('spread over its masters', () => {
    it('asks each master for its own keys, and lets one of many claims of two processes through', async () => {
      const [{ store: first, lines }, { store: second }] = [await open(), await open()];
      const answers = await Promise.all(
        Array.from({ length: 900 }, (_, n) => (n % 2 ? first : second).claim(`k${n % 300}`, `t${n}`, LONG_MS)),
      );
      expect(answers.filter((answer) => answer === 'claimed')).toHaveLength(300);
      for (const { client } of cluster.nodes.slice(0, 3)) expect(await client.dbsize()).toBeGreaterThan(50);
      expect(lines.map(({ event }) => event)).toEqual(Array(3).fill('guard.connected'));
      expect(new Set(lines.map(({ fields }) => fields['slots']))).toEqual(
        new Set(['0-5461', '5462-10923', '10924-16383']),
      );
    });

    it('finds the cluster by any one of its servers, a replica as well, past others that are not there', async () => {
      const { address } = await RedisServer.start().then(async (server) => (await server.stop(), server));
      const replica = cluster.nodes[4]?.server.address ?? address;
      const { store } = await openGuard({ kind: 'cluster', seeds: [address, replica] });
      stores.push(store);
      expect(store.trouble()).toBeNull();
      expect(await store.claim('k', 'a', LONG_MS)).toBe('claimed');
    });

    it('opens without a cluster within its limit, and says why', async () => {
      const { address } = await RedisServer.start().then(async (server) => (await server.stop(), server));
      const began = performance.now();
      const { store, lines } = await openGuard({ kind: 'cluster', seeds: [address] }, { openLimitMs: 600 });
      stores.push(store);
      expect(performance.now() - began).toBeLessThan(1_500);
      expect(store.trouble()?.reason).toBe('no connection (ECONNREFUSED)');
      expect(await end(store.claim('k', 'a', LONG_MS))).toMatchObject({ outcome: 'unavailable' });
      expect(lines.map(({ event }) => event)).toEqual(['guard.lost']);
    });
  });

  describe('while a slot moves', () => {
    const KEYS = Array.from({ length: 400 }, (_, n) => `{moving}${n}`);
    // The braces of the event's own key come first, so all of these lie on one slot.
    const SLOT = slotOf('wecom:event:{{moving}0}');

    it('follows it, key by key, and loses sight of none', async () => {
      const { store } = await open();
      for (const key of KEYS) await store.claim(key, `first-${key}`, LONG_MS);
      const from = await cluster.masterOf(SLOT);
      const to = (await cluster.masters()).find((node) => node !== from) as ClusterNode;
      await move(SLOT, from, to, async () => {
        const answers = await Promise.all(KEYS.map((key) => end(store.claim(key, 'other', LONG_MS))));
        expect(new Set(answers.map(({ outcome }) => outcome))).toEqual(new Set(['received']));
        const fresh = `{moving}fresh-${performance.now()}`;
        expect(await store.claim(fresh, 'a', LONG_MS)).toBe('claimed');
        expect(await store.claim(fresh, 'b', LONG_MS)).toBe('received');
      });
      for (const key of KEYS) expect(await store.claim(key, 'other', LONG_MS)).toBe('received');
      expect(store.trouble()).toBeNull();
    });

    it('follows it to a server that had none, whose scripts are unknown there', async () => {
      const { store } = await open();
      for (const key of KEYS.slice(0, 50)) await store.claim(key, `first-${key}`, LONG_MS);
      const added = await cluster.addNode();
      await cluster.meet(added);
      const from = await cluster.masterOf(SLOT);
      await move(SLOT, from, added, async () => {
        // The first call that is sent there finds no connection yet.
        await until(async () => (await end(store.claim('{moving}new', 'a', LONG_MS))).outcome !== 'unavailable');
        expect(await store.claim('{moving}new', 'b', LONG_MS)).toBe('received');
      });
      expect(await store.claim('{moving}new', 'b', LONG_MS)).toBe('received');
      for (const key of KEYS.slice(0, 50)) expect(await store.claim(key, 'other', LONG_MS)).toBe('received');
      await isWell(store);
      expect(await added.client.dbsize()).toBeGreaterThanOrEqual(50);
      await move(SLOT, added, from, async () => undefined);
      expect(await store.claim('{moving}new', 'b', LONG_MS)).toBe('received');
    });

    async function move(slot: number, from: ClusterNode, to: ClusterNode, halfway: () => Promise<void>) {
      const [fromId, toId] = [await idOf(from), await idOf(to)];
      await to.client.call('CLUSTER', 'SETSLOT', slot, 'IMPORTING', fromId);
      await from.client.call('CLUSTER', 'SETSLOT', slot, 'MIGRATING', toId);
      const { host, port } = to.server.address;
      const keys = (await from.client.call('CLUSTER', 'GETKEYSINSLOT', slot, 10_000)) as string[];
      const send = (some: string[]) => from.client.call('MIGRATE', host, port, '', 0, 5_000, 'KEYS', ...some);
      if (keys.length > 1) await send(keys.slice(0, keys.length / 2));
      await halfway();
      const rest = (await from.client.call('CLUSTER', 'GETKEYSINSLOT', slot, 10_000)) as string[];
      if (rest.length > 0) await send(rest);
      for (const node of [to, from]) await node.client.call('CLUSTER', 'SETSLOT', slot, 'NODE', toId);
    }
  });

  describe('when a master fails', () => {
    it('goes on at once with the others while one hangs, and asks the hung one for nothing', async () => {
      const { store, lines } = await open({ timeoutMs: LIMIT_MS });
      // Nobody is to notice: neither does a replica take over, nor do the others give up the whole cluster.
      await cluster.setNodeTimeout(30_000);
      const hung = await cluster.masterOf(0);
      hung.server.pause();
      try {
        await until(() => store.trouble() !== null);
        expect(store.trouble()?.reason).toMatch(/^1 of \d masters: Redis took longer/);
        const answers = await Promise.all(
          Array.from({ length: 100 }, (_, n) => end(store.claim(keyOn(0, 5_000, n), 'a', LONG_MS))),
        );
        for (const { outcome, tookMs } of answers) {
          expect(outcome).toBe('unavailable');
          expect(tookMs).toBeLessThan(LIMIT_MS);
        }
        expect(await end(store.claim(keyOn(6_000, 10_000), 'a', LONG_MS))).toMatchObject({ outcome: 'claimed' });
        expect(await end(store.claim(keyOn(11_000, 16_000), 'a', LONG_MS))).toMatchObject({ outcome: 'claimed' });
      } finally {
        hung.server.resume();
        await cluster.setNodeTimeout();
      }
      await cluster.agreed();
      await isWell(store);
      expect(lines.filter(({ event }) => event === 'guard.lost')).toHaveLength(1);
    });

    it('goes on with the replica that takes its place, and then with the old one as a replica', async () => {
      const { store, lines } = await open({ timeoutMs: LIMIT_MS });
      const killed = await cluster.masterOf(6_000);
      const replica = await cluster.replicaOf(killed);
      const ledger = new GuardLedger(store);
      const load = ledger.load();
      await until(() => ledger.completedCount > 200);
      await killed.server.kill();
      await until(() => store.trouble() !== null);
      await until(async () => (await cluster.masterOf(6_000)) === replica, 30_000);
      await isWell(store);
      const before = ledger.completedCount;
      await until(() => ledger.completedCount > before + 200);
      await killed.server.run();
      await cluster.agreed();
      await until(() => ledger.completedCount > before + 400);
      await load.stop();
      expect(await end(store.claim(keyOn(5_500, 10_900, 7), 'a', LONG_MS))).toMatchObject({ outcome: 'claimed' });
      expect(ledger.faults).toEqual([]);
      expect(ledger.slowestMs).toBeLessThan(LIMIT_MS_SEEN);
      expect(ledger.unavailableCount).toBeGreaterThan(0);
      expect(lines.filter(({ event }) => event === 'guard.lost').length).toBeGreaterThanOrEqual(1);
    });

    it('follows a planned change of a master with hardly a call refused', async () => {
      const { store } = await open({ timeoutMs: 2_000 });
      const old = await cluster.masterOf(12_000);
      const replica = await cluster.replicaOf(old);
      await cluster.hasCopied(replica);
      const ledger = new GuardLedger(store);
      const load = ledger.load();
      await until(() => ledger.completedCount > 200);
      await cluster.promote(replica);
      const before = ledger.completedCount;
      await until(() => ledger.completedCount > before + 500);
      await load.stop();
      await isWell(store);
      expect(ledger.faults).toEqual([]);
      // What is under way when the old master is let go, and while the first connection to the new one comes about.
      expect(ledger.unavailableCount).toBeLessThan(ledger.completedCount / 5);
    });
  });
});

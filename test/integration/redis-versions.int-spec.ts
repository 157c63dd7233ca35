import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { GuardServers } from '../../src/config/guard-servers.js';
import { describeIdempotencyStore } from '../contract/idempotency-store.suite.js';
import { RedisClusterServer } from '../support/redis-cluster-server.js';
import { openGuard } from '../support/redis-guard.js';
import { describeWithEachRedis, installedRedis } from '../support/redis-programs.js';
import { RedisSentinelServer } from '../support/redis-sentinel-server.js';
import { RedisServer } from '../support/redis-server.js';
import { until } from '../support/until.js';

const LONG_MS = 3_600_000;

/** The port's promise on each server that the documents name; the other suites run on the one of this machine. */
describeWithEachRedis('the guard on each kind of server', (program) => {
  let server: RedisServer;

  beforeAll(async () => {
    server = await RedisServer.start({ program });
  });

  afterEach(async () => {
    await server.client().flushall();
  });

  afterAll(() => server.stop());

  async function nowMs(): Promise<number> {
    const [seconds, micros] = await client.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }
  let client: ReturnType<RedisServer['client']>;
  beforeAll(() => {
    client = server.client();
  });

  const open: { close(): Promise<void> }[] = [];
  // redis-idempotency-store.int-spec.ts has it for the Redis of this machine.
  if (program !== installedRedis)
    describeIdempotencyStore(program.name, {
      make: async () => {
        const { store } = await openGuard(server.address);
        open.push(store);
        return store;
      },
      close: async () => {
        await Promise.all(open.splice(0).map((store) => store.close()));
      },
      advance: async (ms) => {
        const target = (await nowMs()) + ms + 1;
        await until(async () => (await nowMs()) > target);
      },
      features: { exactTime: false, shortMs: 200 },
    });

  /** All moves once, and once more by somebody else. */
  async function walk(servers: GuardServers, key: string): Promise<void> {
    const { store, lines } = await openGuard(servers);
    try {
      expect(store.trouble()).toBeNull();
      expect(await store.claim(key, 'g', LONG_MS)).toBe('claimed');
      expect(await store.claim(key, 'h', LONG_MS)).toBe('received');
      expect(await store.confirm(key, 'g', LONG_MS)).toBe('done');
      expect(await store.acquire(key, 'w', LONG_MS, LONG_MS)).toEqual({ kind: 'acquired', startUnfinished: false });
      expect(await store.start(key, 'w')).toBe('done');
      expect(await store.renew(key, 'w', LONG_MS)).toBe('done');
      expect(await store.complete(key, 'w', LONG_MS)).toBe('done');
      expect(await store.claim(key, 'g', LONG_MS)).toBe('success');
      expect(new Set(lines.map(({ event }) => event))).toEqual(new Set(['guard.connected']));
    } finally {
      await store.close();
    }
  }

  it('walks through a cluster of them, before and after a change of the master', async () => {
    const cluster = await RedisClusterServer.start(program);
    try {
      for (let n = 0; n < 20; n += 1) await walk(cluster.servers, `before-${n}`);
      const old = await cluster.masterOf(0);
      const replica = await cluster.replicaOf(old);
      await cluster.promote(replica);
      await cluster.agreed();
      for (let n = 0; n < 20; n += 1) await walk(cluster.servers, `after-${n}`);
    } finally {
      await cluster.stop();
    }
  });

  it('walks through a master that its Sentinels name, before and after they change it', async () => {
    const watched = await RedisSentinelServer.start(program);
    try {
      await walk(watched.servers, 'before');
      const old = await watched.master();
      await watched.failover();
      await watched.masterIsNot(old);
      await walk(watched.servers, 'after');
    } finally {
      await watched.stop();
    }
  });
});

import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll } from 'vitest';
import { RedisIdempotencyStore } from '../../src/idempotency/redis/redis-idempotency-store.js';
import { describeIdempotencyStore } from '../contract/idempotency-store.suite.js';
import { openGuard } from '../support/redis-guard.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { until } from '../support/until.js';

/** The port's promise, kept by Lua on a real server in real time. */
describeWithRedis('the guard on a real Redis', () => {
  let server: RedisServer;
  let probe: Redis;
  const open: RedisIdempotencyStore[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
    probe = server.client();
  });

  afterEach(async () => {
    await probe.flushall();
  });

  afterAll(() => server.stop());

  async function nowMs(): Promise<number> {
    const [seconds, micros] = await probe.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  describeIdempotencyStore('RedisIdempotencyStore', {
    make: async () => {
      const { store } = await openGuard(server.address);
      open.push(store);
      return store;
    },
    close: async () => {
      await Promise.all(open.splice(0).map((store) => store.close()));
    },
    // Redis's own time decides, so that is what is waited for.
    advance: async (ms) => {
      const end = (await nowMs()) + ms + 1;
      await until(async () => (await nowMs()) > end);
    },
    features: { exactTime: false, shortMs: 200 },
  });
});

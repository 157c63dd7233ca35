import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { IdempotencyStore } from '../../src/idempotency/idempotency-store.js';
import { openGuard } from '../support/redis-guard.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { until } from '../support/until.js';

/** Readiness has to tell the truth also while no callback comes. */
describeWithRedis('the guard without traffic', () => {
  let server: RedisServer;
  let redis: Redis;
  let store: IdempotencyStore;

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = server.client();
  });

  beforeEach(async () => {
    ({ store } = await openGuard(server.address, { timeoutMs: 100 }));
  });

  afterEach(async () => {
    await store.close();
    server.resume();
  });

  afterAll(() => server.stop());

  const isWell = () => until(() => store.trouble() === null, 10_000, 'the guard is back');
  const isIll = () => until(() => store.trouble() !== null, 10_000, 'the guard notices');

  it('notices that Redis takes no writes, and that it does again', async () => {
    await redis.replicaof('127.0.0.1', 1);
    await isIll();
    expect(store.trouble()?.reason).toBe('Redis answered READONLY');
    await redis.replicaof('NO', 'ONE');
    await isWell();
  });

  it('notices that Redis hangs, and that it answers again', async () => {
    server.pause();
    await isIll();
    server.resume();
    await isWell();
  });
});

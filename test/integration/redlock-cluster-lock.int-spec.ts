import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { RedlockClusterLock } from '../../src/cluster/redlock-cluster-lock.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { describeClusterLock } from '../contract/cluster-lock.suite.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { until } from '../support/until.js';

const TTL_MS = 1_500;
const KEY = 'wecom:lock:{job}';

describeWithRedis('the cluster lock on a real Redis', () => {
  let server: RedisServer;
  let probe: Redis;
  let lines: string[];
  const open: RedlockClusterLock[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
    probe = server.client();
  });

  beforeEach(() => (lines = []));

  afterEach(async () => {
    for (const lock of open.splice(0)) await lock.close();
    await probe.flushall();
  });

  afterAll(() => server.stop());

  async function lockOf(): Promise<RedlockClusterLock> {
    const log = { warn: (event: string) => void lines.push(event) };
    const options = {
      servers: { kind: 'single', address: server.address } as const,
      ttlMs: TTL_MS,
      timeoutMs: 400,
      openLimitMs: 5_000,
    };
    const lock = await RedlockClusterLock.open(new SystemClock(), log, options);
    open.push(lock);
    return lock;
  }

  /** Lasts until the lock is lost. */
  const untilLost = (signal: AbortSignal): Promise<string> =>
    new Promise((resolve) => signal.addEventListener('abort', () => resolve('lost'), { once: true }));

  async function scriptCalls(): Promise<number> {
    return Number(/cmdstat_evalsha:calls=(\d+)/.exec(await probe.info('commandstats'))?.[1] ?? 0);
  }

  describeClusterLock('RedlockClusterLock', {
    make: async () => ({ first: await lockOf(), second: await lockOf() }),
    close: async () => undefined,
    outliveTtl: async () => {
      const end = performance.now() + 2 * TTL_MS;
      await until(() => performance.now() > end);
    },
  });

  describe('RedlockClusterLock', () => {
    it('takes over what a holder that died has left, when its life has ended', async () => {
      const lock = await lockOf();
      await probe.set(KEY, 'of-a-dead-process', 'PX', 300);
      expect((await lock.run('job', async () => 1)).kind).toBe('held');
      await until(async () => (await lock.run('job', async () => 1)).kind === 'ran');
    });

    it('tells the work that the lock was lost, gives its result all the same, and asks Redis without spinning', async () => {
      const lock = await lockOf();
      const running = lock.run('job', untilLost);
      await until(async () => (await probe.get(KEY)) !== null);
      const before = await scriptCalls();
      await probe.set(KEY, 'another-process', 'PX', 60_000);
      expect(await running).toMatchObject({ kind: 'ran', value: 'lost' });
      expect(lines).toEqual(['lock.lost']);
      expect(await probe.get(KEY)).toBe('another-process');
      expect((await scriptCalls()) - before).toBeLessThan(40);
    });

    it('runs the work unguarded when Redis hangs, within its limit, and does not ask for each job', async () => {
      const lock = await lockOf();
      server.pause();
      try {
        const begun = performance.now();
        expect(await lock.run('job', async () => 1)).toEqual({ kind: 'ran', value: 1, isGuarded: false });
        expect(performance.now() - begun).toBeLessThan(5_000);
        const again = performance.now();
        for (let job = 0; job < 100; job += 1) await lock.run('job', async () => job);
        // A hundred limits would be forty seconds.
        expect(performance.now() - again).toBeLessThan(4_000);
        expect(lines).toEqual(['lock.away']);
      } finally {
        server.resume();
      }
      // What was asked of the stopped server must not keep anybody out once it goes on.
      const other = await lockOf();
      await until(async () => (await other.run('job', async () => 2)).kind === 'ran');
    });

    it('ends well when Redis dies under the work, and is guarded again when it is back', async () => {
      const lock = await lockOf();
      const result = await lock.run('job', async () => {
        await server.kill();
        return 'finished';
      });
      expect(result).toMatchObject({ kind: 'ran', value: 'finished' });
      expect(await lock.run('job', async () => 1)).toMatchObject({ kind: 'ran', isGuarded: false });
      await server.run();
      await until(async () => {
        const run = await lock.run('job', async () => 1);
        return run.kind === 'ran' && run.isGuarded;
      });
    });

    it('hands on an error of the work also when the lock cannot be given back', async () => {
      const lock = await lockOf();
      const error = new Error('of the work');
      const running = lock.run('job', async () => {
        await probe.set(KEY, 'another-process', 'PX', 60_000);
        throw error;
      });
      await expect(running).rejects.toBe(error);
    });
  });
});

import { afterEach, expect, it } from 'vitest';
import { RedlockClusterLock } from '../../src/cluster/redlock-cluster-lock.js';
import type { GuardServers } from '../../src/config/guard-servers.js';
import { slotOf } from '../../src/redis/cluster-map.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { RedisClusterServer } from '../support/redis-cluster-server.js';
import { RedisSentinelServer } from '../support/redis-sentinel-server.js';
import { describeWithRedis } from '../support/redis-server.js';
import { until } from '../support/until.js';

const TTL_MS = 1_500;

describeWithRedis('the cluster lock on more than one server', () => {
  const locks: RedlockClusterLock[] = [];

  afterEach(() => Promise.all(locks.splice(0).map((lock) => lock.close())));

  async function lockOn(servers: GuardServers): Promise<RedlockClusterLock> {
    const log = { warn: (): void => undefined };
    const options = { servers, ttlMs: TTL_MS, timeoutMs: 400, openLimitMs: 5_000 };
    const lock = await RedlockClusterLock.open(new SystemClock(), log, options);
    locks.push(lock);
    return lock;
  }

  /** Held by one process at a time, also after `change`, which takes the master of the lock's key away. */
  async function survives(servers: GuardServers, change: () => Promise<void>): Promise<void> {
    const [first, second] = [await lockOn(servers), await lockOn(servers)];
    await holds(first, second);
    for (const name of ['one', 'two', 'three', 'four'])
      expect(await second.run(name, async () => name)).toMatchObject({ kind: 'ran', isGuarded: true, value: name });
    await change();
    await until(async () => {
      const run = await first.run('job', async () => 1);
      return run.kind === 'ran' && run.isGuarded;
    }, 30_000);
    await holds(first, second);
  }

  async function holds(first: RedlockClusterLock, second: RedlockClusterLock): Promise<void> {
    let [hasBegun, end] = [false, (): void => undefined];
    const running = first.run('job', () => new Promise<void>((resolve) => ([hasBegun, end] = [true, resolve])));
    await until(() => hasBegun);
    expect(await second.run('job', async () => 1)).toEqual({ kind: 'held' });
    end();
    expect(await running).toMatchObject({ kind: 'ran', isGuarded: true });
  }

  it('is held in a cluster, by whoever has its slot, and again after that server has died', async () => {
    const cluster = await RedisClusterServer.start();
    try {
      await survives(cluster.servers, async () => {
        const slot = slotOf('wecom:lock:{job}');
        const master = await cluster.masterOf(slot);
        const replica = await cluster.replicaOf(master);
        await master.server.kill();
        await until(async () => (await cluster.masterOf(slot)) === replica, 30_000);
      });
    } finally {
      await cluster.stop();
    }
  });

  it('is held on the master that Sentinels name, and again on the next one', async () => {
    const watched = await RedisSentinelServer.start();
    try {
      await survives(watched.servers, async () => {
        const old = await watched.master();
        await old.kill();
        await watched.masterIsNot(old);
      });
    } finally {
      await watched.stop();
    }
  });
});

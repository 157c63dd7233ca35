import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayInProcess } from '../support/gateway-in-process.js';
import { RedisClusterServer } from '../support/redis-cluster-server.js';
import { RedisSentinelServer } from '../support/redis-sentinel-server.js';
import { describeWithRedis } from '../support/redis-server.js';
import { approvalXml } from '../support/texts.js';
import { until } from '../support/until.js';
import { WecomClient } from '../support/wecom-client.js';

const APP = {
  token: 'tokenOne',
  encodingAESKey: 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C',
  receiveId: 'wwtest',
};
const TIME = 1_796_000_400;

describeWithRedis('the service while a master of its Redis is replaced', () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wecom-apps-'));
    await writeFile(join(folder, 'apps.json'), JSON.stringify({ crm: APP }));
  });

  afterEach(() => rm(folder, { recursive: true, force: true }));

  /** Each event twice and more, for as long as the fault lasts; then every one of them must have been applied once. */
  async function answersAll(env: Record<string, string>, fault: () => Promise<void>): Promise<void> {
    const gateway = await GatewayInProcess.start({
      ...{ WECOM_APPS_FILE: join(folder, 'apps.json'), GUARD: 'redis', LEASE_TTL_MS: '1000', ...env },
    });
    const client = new WecomClient(gateway.callbackBase, 'crm', APP);
    const guard = async () => {
      const response = await fetch(`${gateway.callbackBase}/health`, { headers: { connection: 'close' } });
      return ((await response.json()) as any).parts.guard;
    };
    try {
      expect(await guard()).toEqual({ status: 'up' });
      let [isOn, count, slowestMs] = [true, 0, 0];
      const bodies = new Set<string>();
      const senders = Array.from({ length: 4 }, async () => {
        while (isOn) {
          const text = approvalXml(`F${(count += 1)}`, 1, TIME);
          const began = performance.now();
          for (const answer of await Promise.all([client.deliver(text), client.deliver(text)])) bodies.add(answer.body);
          bodies.add((await client.deliver(text)).body);
          slowestMs = Math.max(slowestMs, performance.now() - began);
        }
      });
      await until(() => count > 50);
      await fault();
      await until(async () => (await guard()).status === 'up', 30_000);
      const before = count;
      await until(() => count > before + 50);
      isOn = false;
      await Promise.all(senders);
      await until(() => gateway.isSettled(), 30_000);
      expect(bodies).toEqual(new Set(['success']));
      expect(slowestMs).toBeLessThan(5_000);
      expect((await gateway.admin('summary')).json.statuses).toEqual({ APPLIED: count });
    } finally {
      client.close();
      await gateway.stop();
    }
  }

  it('answers and applies every event once in a cluster', async () => {
    const cluster = await RedisClusterServer.start();
    try {
      await answersAll({ REDIS_CLUSTER: cluster.url }, async () => {
        const master = await cluster.masterOf(0);
        const replica = await cluster.replicaOf(master);
        await master.server.kill();
        await until(async () => (await cluster.masterOf(0)) === replica, 30_000);
      });
    } finally {
      await cluster.stop();
    }
  });

  it('answers and applies every event once with Sentinels', async () => {
    const watched = await RedisSentinelServer.start();
    try {
      await answersAll(watched.env, async () => {
        const old = await watched.master();
        await old.kill();
        await watched.masterIsNot(old);
      });
    } finally {
      await watched.stop();
    }
  });
});

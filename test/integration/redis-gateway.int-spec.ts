import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { GatewayInProcess } from '../support/gateway-in-process.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { approvalXml } from '../support/texts.js';
import { until } from '../support/until.js';
import { WecomClient } from '../support/wecom-client.js';

const APP = {
  token: 'tokenOne',
  encodingAESKey: 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C',
  receiveId: 'wwtest',
};
const TIME = 1_796_000_400;

describeWithRedis('the service with GUARD=redis', () => {
  let server: RedisServer;
  let redis: Redis;
  let folder: string;
  let env: Record<string, string>;

  beforeEach(async () => {
    server = await RedisServer.start();
    redis = server.client();
    folder = await mkdtemp(join(tmpdir(), 'wecom-apps-'));
    await writeFile(join(folder, 'apps.json'), JSON.stringify({ crm: APP }));
    await writeFile(join(folder, 'redis-url'), `${server.url}\n`);
    env = {
      WECOM_APPS_FILE: join(folder, 'apps.json'),
      GUARD: 'redis',
      REDIS_URL_FILE: join(folder, 'redis-url'),
    };
  });

  afterEach(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  async function states(): Promise<string[]> {
    const keys = (await redis.keys('wecom:event:{wwtest:*')).sort();
    return keys.length === 0 ? [] : (await redis.mget(keys)).map((value) => value?.[0] ?? 'none');
  }

  it('remembers what became of an event, and sheds it after a restart', async () => {
    const first = await GatewayInProcess.start(env);
    const client = new WecomClient(first.callbackBase, 'crm', APP);
    await client.deliver(approvalXml('A1', 1, TIME));
    await until(async () => (await states()).join() === 'S');
    client.close();
    await first.stop();

    const second = await GatewayInProcess.start(env);
    const again = new WecomClient(second.callbackBase, 'crm', APP);
    try {
      expect((await again.deliver(approvalXml('A1', 1, TIME))).body).toBe('success');
      const metrics = await (await fetch(`${second.adminBase}/metrics`, { headers: { connection: 'close' } })).text();
      expect(metrics).toMatch(/wecom_callbacks_total\{[^}]*answer="duplicate"[^}]*\} 1/);
    } finally {
      again.close();
      await second.stop();
    }
  });

  it('takes and applies events without Redis, says so, and uses it again when it answers', async () => {
    const gateway = await GatewayInProcess.start(env);
    const client = new WecomClient(gateway.callbackBase, 'crm', APP);
    const health = async () => {
      const response = await fetch(`${gateway.callbackBase}/health`, { headers: { connection: 'close' } });
      return ((await response.json()) as any).parts.guard;
    };
    try {
      expect(await health()).toEqual({ status: 'up' });
      server.pause();
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, n) => client.deliver(approvalXml(`B${n}`, 1, TIME))),
      );
      expect(new Set(answers.map(({ body }) => body))).toEqual(new Set(['success']));
      await until(() => gateway.isSettled());
      const { json } = await gateway.admin('summary');
      expect(json.statuses).toEqual({ APPLIED: 20 });
      expect(await health()).toMatchObject({ status: 'degraded', reason: expect.stringContaining('Redis') });
      server.resume();
      await until(async () => (await health()).status === 'up');
      await client.deliver(approvalXml('C1', 1, TIME));
      await until(async () => (await states()).includes('S'));
    } finally {
      server.resume();
      client.close();
      await gateway.stop();
    }
  });

  it('starts as built, with its scripts beside the code, and keeps the address to itself', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'wecom-service-'));
    const gateway = await GatewayProcess.start(dataDir, env);
    const client = new WecomClient(gateway.callbackBase, 'crm', APP);
    try {
      await client.deliver(approvalXml('D1', 1, TIME));
      await until(async () => (await states()).join() === 'S');
      expect(gateway.lineOf('guard.connected')).toBeDefined();
      expect(JSON.stringify(gateway.lines) + gateway.raw).not.toContain(String(server.address.port));
      expect(await gateway.stop()).toBe(0);
    } finally {
      client.close();
      await gateway.kill();
      await rm(dataDir, { recursive: true, force: true });
    }
  });
});

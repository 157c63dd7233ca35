import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { freePort } from '../support/free-port.js';
import { describeWithRedis } from '../support/redis-server.js';
import { until } from '../support/until.js';

// Each command is a process of its own, of seconds on a busy machine, and the first may compile.
const LIMIT_MS = 300_000;
const PROGRAM = resolve(import.meta.dirname, '../../scripts/services.mjs');

interface Report {
  readonly state: string;
  readonly processes: readonly { readonly pid: number; readonly isRunning: boolean }[];
}

describeWithRedis('npm run services', () => {
  vi.setConfig({ testTimeout: LIMIT_MS, hookTimeout: LIMIT_MS });
  let folder: string;
  let port: number;

  const run = (...args: string[]): Promise<{ code: number; text: string }> =>
    new Promise((done) => {
      const env = { ...process.env, SERVICES_DIR: folder, SERVICES_REDIS_PORT: String(port) };
      execFile(process.execPath, [PROGRAM, ...args], { env }, (error, stdout, stderr) =>
        done({ code: error === null ? 0 : Number(error.code), text: stdout + stderr }),
      );
    });
  const report = async (): Promise<Report> => {
    const [redis] = JSON.parse((await run('status', 'redis', '--json')).text) as [Report];
    return redis;
  };
  const recordPath = (): string => join(folder, 'redis', 'run', 'redis.json');
  async function ask(work: (client: Redis) => Promise<unknown>): Promise<unknown> {
    const client = new Redis({ port, host: '127.0.0.1', retryStrategy: () => null, disableClientInfo: true });
    client.on('error', () => undefined);
    try {
      return await work(client);
    } finally {
      client.disconnect();
    }
  }

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wecom-services-'));
    port = await freePort();
    // The bus of a cluster would be 10,000 above.
    while (port > 55_000) port = await freePort();
  });
  afterEach(async () => {
    await run('down', 'redis');
    await rm(folder, { recursive: true, force: true });
  });

  it('brings a server up that outlives the command, is left as it is by a second one, and keeps its data', async () => {
    const line = `GUARD=redis REDIS_URL=redis://127.0.0.1:${port}/0`;
    expect(await run('up', 'redis', '--native')).toEqual({ code: 0, text: `redis is up (single): ${line}\n` });
    const first = await report();
    expect(first).toMatchObject({ state: 'up', processes: [{ isRunning: true }] });
    expect((await run('status', 'redis')).text).toContain(line);
    await ask((client) => client.set('kept', 'yes'));

    expect(await run('up', 'redis', '--native')).toEqual({ code: 0, text: `redis was up (single): ${line}\n` });
    expect(await report()).toEqual(first);
    expect(await run('up', 'redis', '--native', '--cluster')).toMatchObject({ code: 1 });

    expect(await run('down', 'redis')).toEqual({ code: 0, text: 'redis is down\n' });
    expect(await report()).toMatchObject({ state: 'down', processes: [] });
    expect((await run('status', 'redis')).code).toBe(3);
    await run('up', 'redis', '--native');
    expect(await ask((client) => client.get('kept'))).toBe('yes');
    await run('down', 'redis', '--volumes');
    expect(existsSync(join(folder, 'redis'))).toBe(false);
  });

  it('says that a server is gone which was killed, and brings it up again', async () => {
    await run('up', 'redis', '--native');
    const [killed] = (await report()).processes;
    process.kill(killed!.pid, 'SIGKILL');
    await until(async () => (await report()).state === 'gone', 20_000, 'the end is seen');
    expect(await run('status', 'redis')).toMatchObject({ code: 3 });
    expect(await run('up', 'redis', '--native')).toMatchObject({ code: 0 });
    const again = await report();
    expect(again.state).toBe('up');
    expect(again.processes[0]?.pid).not.toBe(killed!.pid);
  });

  it('neither trusts nor ends a process that has come by the id of a record', async () => {
    await run('up', 'redis', '--native');
    const record = JSON.parse(await readFile(recordPath(), 'utf8')) as { pid: number; stamp: string };
    await run('down', 'redis');
    // This test's own process: it would not survive being taken for the server.
    await writeFile(recordPath(), JSON.stringify({ ...record, pid: process.pid }));
    expect((await report()).state).toBe('gone');
    expect(await run('down', 'redis')).toEqual({ code: 0, text: 'redis was gone\n' });
    await writeFile(recordPath(), JSON.stringify({ ...record, pid: process.pid }));
    expect(await run('up', 'redis', '--native')).toMatchObject({ code: 0 });
    expect((await report()).processes[0]?.pid).not.toBe(process.pid);
  });

  it('names the port that another program has', async () => {
    const other = createServer().listen(port, '127.0.0.1');
    await once(other, 'listening');
    try {
      const { code, text } = await run('up', 'redis', '--native');
      expect(code).toBe(1);
      expect(text).toContain(`port ${port} of redis is in use by another program`);
      expect(text).toContain('SERVICES_REDIS_PORT');
      expect(await report()).toMatchObject({ state: 'down' });
    } finally {
      other.close();
    }
  });

  it('prints the end of the log of a server that does not start, and leaves nothing of it', async () => {
    await run('up', 'redis', '--native');
    await run('down', 'redis');
    // A file where the server wants a folder.
    await rm(join(folder, 'redis', 'data', 'redis', 'appendonlydir'), { recursive: true });
    await writeFile(join(folder, 'redis', 'data', 'redis', 'appendonlydir'), '');
    const { code, text } = await run('up', 'redis', '--native');
    expect(code).toBe(1);
    expect(text).toContain('redis ended');
    expect(text).toMatch(/appendonlydir/);
    expect(await report()).toMatchObject({ state: 'down' });
  });

  it('starts one server when two commands come at once', async () => {
    const both = await Promise.all([run('up', 'redis', '--native'), run('up', 'redis', '--native')]);
    expect(both.map(({ code }) => code)).toContain(0);
    for (const { code, text } of both) if (code !== 0) expect(text).toContain('another command');
    expect(await report()).toMatchObject({ state: 'up' });
  });

  it('ends with 2 for what it does not understand', async () => {
    expect(await run('up', 'redis', '--brokers', '3')).toEqual({ code: 2, text: '--brokers is for kafka\n' });
  });
});

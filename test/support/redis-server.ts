import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { GuardAddress } from '../../src/config/guard-address.js';
import { freePort } from './free-port.js';
import { until } from './until.js';

const BINARY = 'redis-server';
const isThere = spawnSync(BINARY, ['--version']).status === 0;

/** A suite that needs a real Redis: skipped without one, loudly, and failed where CI should have brought it. */
export function describeWithRedis(name: string, suite: () => void): void {
  if (isThere) {
    describe(name, suite);
    return;
  }
  const hint = `no ${BINARY} on this machine, so "${name}" cannot run: apt-get install redis-server`;
  if (process.env['CI']) {
    describe(name, () => it('finds a redis-server', () => expect.fail(hint)));
    return;
  }
  console.warn(`SKIPPED: ${hint}`);
  describe.skip(name, suite);
}

/** A real redis-server on a free loopback port, with a folder of its own and nothing kept on disk. */
export class RedisServer {
  private child: ChildProcess | null = null;
  private readonly clients: Redis[] = [];

  private constructor(
    readonly address: GuardAddress,
    private readonly folder: string,
  ) {}

  static async start(): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'wecom-redis-'));
    const server = new RedisServer({ host: '127.0.0.1', port: await freePort(), tls: false, db: 0 }, folder);
    await server.run();
    return server;
  }

  get url(): string {
    return `redis://${this.address.host}:${this.address.port}/${this.address.db}`;
  }

  /** Starts the process, also again after `kill`: on the same port and empty. */
  async run(...extra: string[]): Promise<void> {
    const { host, port } = this.address;
    const options = ['--bind', host, '--port', String(port), '--dir', this.folder, '--save', '', '--appendonly', 'no'];
    const child = spawn(BINARY, [...options, ...extra], { stdio: 'ignore' });
    this.child = child;
    // A test run that is cut off must leave no server behind.
    const killIt = (): void => void child.kill('SIGKILL');
    process.once('exit', killIt);
    child.once('exit', () => process.removeListener('exit', killIt));
    const client = this.client();
    await until(async () => (await client.ping().catch(() => '')) === 'PONG', 15_000, 'redis-server answers');
    client.disconnect();
  }

  /** A client of the test's own, which is closed with the server. */
  client(): Redis {
    const { host, port } = this.address;
    const client = new Redis({ host, port, maxRetriesPerRequest: 1, retryStrategy: () => 20, disableClientInfo: true });
    // Failures show in the calls.
    client.on('error', () => undefined);
    this.clients.push(client);
    return client;
  }

  /** Stops answering, as a machine that hangs does; its socket still accepts. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** The process ends at once, and with it every key. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  async stop(): Promise<void> {
    for (const client of this.clients) client.disconnect();
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

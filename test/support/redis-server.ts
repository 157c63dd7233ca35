import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { describe, expect, it } from 'vitest';
import type { Certificates, GuardAddress } from '../../src/config/guard-servers.js';
import { freePort } from './free-port.js';
import { installedRedis, type RedisProgram } from './redis-programs.js';
import { until } from './until.js';

export interface RedisServerOptions {
  readonly program?: RedisProgram | null;
  /** Given at every start. */
  readonly args?: readonly string[];
  /** It then answers nobody without TLS. */
  readonly tls?: { readonly ca: string; readonly args: readonly string[]; readonly client: Certificates };
}

/** A suite that needs a real Redis: skipped without one, loudly, and failed where CI should have brought it. */
export function describeWithRedis(name: string, suite: () => void): void {
  if (installedRedis !== null) {
    describe(name, suite);
    return;
  }
  const hint = `no redis-server on this machine, so "${name}" cannot run: apt-get install redis-server`;
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
    readonly folder: string,
    private readonly options: RedisServerOptions,
  ) {}

  static async start(options: RedisServerOptions = {}): Promise<RedisServer> {
    const folder = await mkdtemp(join(tmpdir(), 'wecom-redis-'));
    const where = { host: '127.0.0.1', port: await freePort(), tls: options.tls !== undefined, db: 0 };
    const certificates = options.tls && { certificates: { ...options.tls.client, ca: options.tls.ca } };
    const server = new RedisServer({ ...where, ...certificates }, folder, options);
    await server.run();
    return server;
  }

  get isRunning(): boolean {
    return this.child !== null;
  }

  get url(): string {
    return `redis://${this.address.host}:${this.address.port}/${this.address.db}`;
  }

  /** Starts the process, also again after `kill`: on the same port and empty. */
  async run(...extra: string[]): Promise<void> {
    const { host, port } = this.address;
    const { program = installedRedis, args = [], tls } = this.options;
    const [command, ...prefix] = program?.command ?? ['redis-server'];
    const ports = tls ? ['--port', '0', '--tls-port', String(port), ...tls.args] : ['--port', String(port)];
    const options = ['--bind', host, ...ports, '--dir', this.folder, '--save', '', '--appendonly', 'no'];
    const child = spawn(command, [...prefix, ...options, ...args, ...extra], { stdio: 'ignore' });
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
    const { host, port, certificates } = this.address;
    const client = new Redis({
      ...{ host, port, ...(certificates ? { tls: { ...certificates } } : {}) },
      ...{ maxRetriesPerRequest: 1, retryStrategy: () => 20, disableClientInfo: true },
    });
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
    // One that has ended keeps a timer of two seconds when it is ended again.
    for (const client of this.clients) if (client.status !== 'end') client.disconnect();
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }
}

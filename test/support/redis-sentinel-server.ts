import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import type { GuardServers } from '../../src/config/guard-servers.js';
import { installedRedis, type RedisProgram } from './redis-programs.js';
import { freePort } from './free-port.js';
import { RedisServer } from './redis-server.js';
import { until } from './until.js';

const MASTER_NAME = 'mymaster';
const DOWN_AFTER_MS = 500;
const FAILOVER_LIMIT_MS = 3_000;
const FORMED_LIMIT_MS = 30_000;
const HOST = '127.0.0.1';

interface Sentinel {
  readonly port: number;
  readonly child: ChildProcess;
  readonly client: Redis;
}

/** A master, two replicas and three Sentinels that watch over them: all real, on free loopback ports. */
export class RedisSentinelServer {
  private constructor(
    readonly data: RedisServer[],
    readonly sentinels: Sentinel[],
    private readonly folder: string,
  ) {}

  static async start(program: RedisProgram | null = installedRedis, extra: readonly string[] = []) {
    const folder = await mkdtemp(join(tmpdir(), 'wecom-sentinel-'));
    const all = new RedisSentinelServer([], [], folder);
    try {
      const args = ['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'];
      const master = await RedisServer.start({ program, args });
      all.data.push(master);
      for (let n = 0; n < 2; n += 1) {
        const replica = await RedisServer.start({ program, args });
        all.data.push(replica);
        await replica.client().replicaof(HOST, master.address.port);
      }
      for (let n = 0; n < 3; n += 1) await all.addSentinel(program, extra);
      await all.agreed();
    } catch (error) {
      await all.stop();
      throw error;
    }
    return all;
  }

  get servers(): Extract<GuardServers, { kind: 'sentinel' }> {
    const at = ({ port }: Sentinel) => ({ host: HOST, port, tls: false, db: 0 });
    return {
      kind: 'sentinel',
      sentinels: this.sentinels.map(at),
      masterName: MASTER_NAME,
      master: { tls: false, db: 0 },
    };
  }

  get env(): Record<string, string> {
    return {
      REDIS_SENTINELS: `redis://${this.sentinels.map(({ port }) => `${HOST}:${port}`).join()}`,
      REDIS_URL: `redis://${MASTER_NAME}/0`,
    };
  }

  /** The server that most Sentinels call the master. */
  async master(): Promise<RedisServer> {
    const ports = await Promise.all(this.sentinels.map(({ client }) => portOfMaster(client)));
    const [first, second, third] = ports;
    const port = second === third ? second : first;
    const found = this.data.find(({ address }) => address.port === port);
    if (found === undefined) throw new Error('the Sentinels know of no master');
    return found;
  }

  /** A planned change of the master. Resolves when it is under way. */
  async failover(): Promise<void> {
    await until(
      async () => (await this.sentinels[0]?.client.call('SENTINEL', 'FAILOVER', MASTER_NAME).catch(() => '')) === 'OK',
      FORMED_LIMIT_MS,
      'a Sentinel begins a failover',
    );
  }

  /** Another server is the master, and the Sentinels agree. */
  async masterIsNot(old: RedisServer): Promise<RedisServer> {
    let found = old;
    await until(
      async () => {
        const ports = await Promise.all(this.sentinels.map(({ client }) => portOfMaster(client)));
        if (new Set(ports).size === 1) found = await this.master();
        return found !== old;
      },
      FORMED_LIMIT_MS,
      'another server is the master',
    );
    return found;
  }

  async agreed(): Promise<void> {
    await until(
      async () => {
        const views = await Promise.all(
          this.sentinels.map(async ({ client }) => {
            const info = String(await client.info('sentinel').catch(() => ''));
            return /status=ok,address=\S+,slaves=2,sentinels=3/.test(info);
          }),
        );
        return views.length === 3 && views.every(Boolean);
      },
      FORMED_LIMIT_MS,
      'the Sentinels agree',
    );
  }

  async stop(): Promise<void> {
    for (const { child, client } of this.sentinels) {
      client.disconnect();
      const exit = once(child, 'exit');
      if (child.exitCode === null && child.signalCode === null && child.kill('SIGKILL')) await exit;
    }
    await Promise.all(this.data.map((server) => server.stop()));
    await rm(this.folder, { recursive: true, force: true });
  }

  private async addSentinel(program: RedisProgram | null, extra: readonly string[]): Promise<void> {
    const port = await freePort();
    const file = join(this.folder, `sentinel-${port}.conf`);
    const watched = `${MASTER_NAME} ${HOST} ${this.data[0]?.address.port} 2`;
    const lines = [
      ...[`port ${port}`, `bind ${HOST}`, `dir ${this.folder}`, `sentinel monitor ${watched}`],
      `sentinel down-after-milliseconds ${MASTER_NAME} ${DOWN_AFTER_MS}`,
      `sentinel failover-timeout ${MASTER_NAME} ${FAILOVER_LIMIT_MS}`,
      ...extra,
    ];
    await writeFile(file, `${lines.join('\n')}\n`);
    const [command, ...prefix] = program?.command ?? ['redis-server'];
    const child = spawn(command, [...prefix, file, '--sentinel'], { stdio: 'ignore' });
    const killIt = (): void => void child.kill('SIGKILL');
    process.once('exit', killIt);
    child.once('exit', () => process.removeListener('exit', killIt));
    const client = new Redis({
      host: HOST,
      port,
      retryStrategy: () => 20,
      maxRetriesPerRequest: 1,
      disableClientInfo: true,
    });
    client.on('error', () => undefined);
    this.sentinels.push({ port, child, client });
    await until(async () => (await client.ping().catch(() => '')) === 'PONG', FORMED_LIMIT_MS, 'a Sentinel answers');
  }
}

async function portOfMaster(client: Redis): Promise<number> {
  const answer = await client.call('SENTINEL', 'GET-MASTER-ADDR-BY-NAME', MASTER_NAME).catch(() => null);
  return Array.isArray(answer) ? Number(answer[1]) : 0;
}

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { RedisLayout } from './command.js';
import type { Launch } from './launch.js';
import {
  askRedis,
  CLUSTER_OPTIONS,
  fetchValkey,
  redisServer,
  sentinelFile,
  sentinelServer,
  valkeyProgram,
} from './redis-engine.js';
import { runCommand } from './run-command.js';
import { ServiceFailedError, type ServerPlan, type Service } from './service.js';

const REDIS: Launch = { command: 'redis-server', args: [] };
const NODES = 6;
const DATA_SERVERS = 3;
const NEEDS = [{ program: 'redis-server', aptPackage: 'redis-server' }];

const urlOf = (ports: readonly number[]): string => `redis://${ports.map((port) => `127.0.0.1:${port}`).join()}`;
const portsFrom = (base: number, count: number): number[] => Array.from({ length: count }, (_, at) => base + at);

export function redisService(layout: RedisLayout, folder: string, base: number): Service {
  const shared = {
    ...{ name: 'redis' as const, layout, folder, needs: NEEDS, fetched: null, readyLimitMs: 60_000 },
    fetch: () => Promise.resolve(),
  };
  if (layout === 'cluster') return { ...shared, ...cluster(folder, base) };
  if (layout === 'sentinel') return { ...shared, ...sentinel(folder, base) };
  return { ...shared, ...single(folder, base, () => REDIS, 'redis') };
}

export function valkeyService(folder: string, port: number): Service {
  return {
    ...{ name: 'valkey', layout: 'single', folder, needs: [], readyLimitMs: 60_000 },
    fetched: valkeyProgram() === null ? 'Valkey from Debian unstable (unpacked, not installed)' : null,
    fetch: fetchValkey,
    ...single(folder, port, valkeyProgram, 'valkey'),
  };
}

type Part = Pick<Service, 'ports' | 'settings' | 'prepare' | 'isReady' | 'complete'>;

function single(folder: string, port: number, program: () => Launch | null, name: string): Part {
  return {
    ports: [port],
    settings: { GUARD: 'redis', REDIS_URL: `${urlOf([port])}/0` },
    prepare: async () => {
      const found = program();
      if (found === null) throw new ServiceFailedError(`there is no ${name} on this machine`);
      return [await dataServer(found, folder, name, port)];
    },
    isReady: () => answers(port),
    complete: () => Promise.resolve(),
  };
}

/** Three masters with a replica each. The bus of each is 10,000 above its port. */
function cluster(folder: string, base: number): Part {
  const ports = portsFrom(base, NODES);
  return {
    ports: [...ports, ...ports.map((port) => port + 10_000)],
    settings: { GUARD: 'redis', REDIS_CLUSTER: urlOf(ports.slice(0, 3)) },
    prepare: () => Promise.all(ports.map((port) => dataServer(REDIS, folder, `node-${port}`, port, CLUSTER_OPTIONS))),
    isReady: async () => (await Promise.all(ports.map(answers))).every(Boolean),
    complete: async () => {
      const isWhole = async (): Promise<boolean> =>
        String(await askRedis(base, 'CLUSTER', 'INFO')).includes('cluster_state:ok');
      if (await isWhole()) return;
      // One that was formed before finds itself again; creating it anew would be refused, since it holds slots.
      if (!/cluster_known_nodes:1\b/.test(String(await askRedis(base, 'CLUSTER', 'INFO')))) return;
      const nodes = ports.map((port) => `127.0.0.1:${port}`);
      const create = ['--cluster', 'create', ...nodes, '--cluster-replicas', '1', '--cluster-yes'];
      await runCommand({ command: 'redis-cli', args: create });
    },
  };
}

/** A master, two replicas and three Sentinels. */
function sentinel(folder: string, base: number): Part {
  const data = portsFrom(base, DATA_SERVERS);
  const sentinels = portsFrom(base + DATA_SERVERS, 3);
  return {
    ports: [...data, ...sentinels],
    settings: { GUARD: 'redis', REDIS_SENTINELS: urlOf(sentinels), REDIS_URL: 'redis://mymaster/0' },
    prepare: async () => {
      const servers = data.map((port) => dataServer(REDIS, folder, `data-${port}`, port));
      return [
        ...(await Promise.all(servers)),
        ...(await Promise.all(sentinels.map((port) => watcher(folder, port, base)))),
      ];
    },
    isReady: async () => (await Promise.all([...data, ...sentinels].map(answers))).every(Boolean),
    complete: async () => {
      // After a failover the Sentinels know who the master is; they make the others its replicas.
      const known = await askRedis(sentinels[0]!, 'SENTINEL', 'GET-MASTER-ADDR-BY-NAME', 'mymaster');
      const master = Array.isArray(known) ? Number(known[1]) : base;
      for (const port of data.filter((one) => one !== master)) await askRedis(port, 'REPLICAOF', '127.0.0.1', master);
    },
  };
}

async function dataServer(
  program: Launch,
  folder: string,
  name: string,
  port: number,
  more: readonly string[] = [],
): Promise<ServerPlan> {
  const home = join(folder, 'data', name);
  await mkdir(home, { recursive: true });
  return { name, ports: [port], launch: redisServer(program, home, port, more) };
}

async function watcher(folder: string, port: number, masterPort: number): Promise<ServerPlan> {
  const name = `sentinel-${port}`;
  const home = join(folder, 'data', name);
  await mkdir(home, { recursive: true });
  // It keeps what it has learned in this file.
  const file = join(home, 'sentinel.conf');
  if (!existsSync(file)) await writeFile(file, sentinelFile(port, masterPort, home));
  return { name, ports: [port], launch: sentinelServer(REDIS, home) };
}

async function answers(port: number): Promise<boolean> {
  return (await askRedis(port, 'PING')) === 'PONG';
}

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { cacheFolder } from './cache-folder.js';
import { unpackDebianPackages, unpackedProgram } from './debian-packages.js';
import type { Launch } from './launch.js';

const MASTER_NAME = 'mymaster';
/** Newer servers than a stable distribution has; the tests look for them here too. */
const UNPACKED = cacheFolder('debian-sid');

/** Null until it was fetched. */
export function valkeyProgram(): Launch | null {
  return unpackedProgram(UNPACKED, 'bin/valkey-server');
}

/** Comes with Valkey; null until it was fetched. */
export function unpackedRedis(): Launch | null {
  return unpackedProgram(UNPACKED, 'bin/redis-server');
}

export async function fetchValkey(): Promise<void> {
  if (!existsSync(UNPACKED)) await unpackDebianPackages(UNPACKED, ['redis-server', 'valkey-server']);
}

/** A server that keeps its keys over a restart, as one in production should. */
export function redisServer(program: Launch, folder: string, port: number, more: readonly string[] = []): Launch {
  return {
    command: program.command,
    args: [
      ...[...program.args, '--bind', '127.0.0.1', '--port', String(port), '--dir', folder],
      ...['--appendonly', 'yes', '--save', '', '--maxmemory-policy', 'noeviction', ...more],
    ],
  };
}

export const CLUSTER_OPTIONS = ['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf'];

/** What a Sentinel reads, and rewrites later. */
export function sentinelFile(port: number, masterPort: number, folder: string): string {
  return [
    ...[
      `port ${port}`,
      'bind 127.0.0.1',
      `dir "${folder}"`,
      `sentinel monitor ${MASTER_NAME} 127.0.0.1 ${masterPort} 2`,
    ],
    ...[`sentinel down-after-milliseconds ${MASTER_NAME} 2000`, `sentinel failover-timeout ${MASTER_NAME} 10000`, ''],
  ].join('\n');
}

export function sentinelServer(program: Launch, folder: string): Launch {
  return { command: program.command, args: [...program.args, join(folder, 'sentinel.conf'), '--sentinel'] };
}

/** The answer to one command, or null when there is none in time. */
export async function askRedis(port: number, command: string, ...args: (string | number)[]): Promise<unknown> {
  const client = new Redis({
    ...{ host: '127.0.0.1', port, lazyConnect: true, connectTimeout: 2_000, commandTimeout: 2_000 },
    ...{ retryStrategy: () => null, maxRetriesPerRequest: 0, disableClientInfo: true },
  });
  client.on('error', () => undefined);
  try {
    await client.connect();
    return await client.call(command, ...args);
  } catch {
    return null;
  } finally {
    client.disconnect();
  }
}

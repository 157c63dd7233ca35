import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** How to start a server: its own arguments come behind. */
export interface RedisProgram {
  /** `Redis 7.0.15`, `Valkey 9.1.2`. */
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

/** Where `scripts/fetch-redis-servers.sh` puts newer servers than this machine has. */
const FETCHED = process.env['WECOM_SERVERS_DIR'] ?? join(homedir(), '.cache/wecom-callback-gateway/debian-sid');

function programAt(...command: [string, ...string[]]): RedisProgram | null {
  const [file, ...options] = command;
  const { status, stdout } = spawnSync(file, [...options, '--version'], { encoding: 'utf8' });
  const [, kind, version] = /^(Redis|Valkey) server v=(\S+)/.exec(stdout ?? '') ?? [];
  return status === 0 && kind !== undefined ? { name: `${kind} ${version}`, command } : null;
}

/** With its own loader and libraries: it was built for another release than this machine runs. */
function fetchedProgram(name: string): RedisProgram | null {
  const libraries = [join(FETCHED, `usr/lib/${process.arch === 'arm64' ? 'aarch64' : 'x86_64'}-linux-gnu`)].join(':');
  const loader = join(libraries, process.arch === 'arm64' ? 'ld-linux-aarch64.so.1' : 'ld-linux-x86-64.so.2');
  if (!existsSync(loader)) return null;
  return programAt(loader, '--library-path', libraries, join(FETCHED, 'usr/bin', name));
}

export const installedRedis = programAt('redis-server');

const WANTED: readonly { readonly wanted: string; readonly program: RedisProgram | null; readonly hint: string }[] = [
  { wanted: 'the Redis of this machine', program: installedRedis, hint: 'apt-get install redis-server' },
  { wanted: 'Redis 8', program: fetchedProgram('redis-server'), hint: 'scripts/fetch-redis-servers.sh' },
  { wanted: 'Valkey', program: fetchedProgram('valkey-server'), hint: 'scripts/fetch-redis-servers.sh' },
];

/** A suite for every kind of server that the guard is promised to run on. One that is not there is skipped, loudly. */
export function describeWithEachRedis(name: string, suite: (program: RedisProgram) => void): void {
  for (const { wanted, program, hint } of WANTED) {
    if (program !== null) {
      describe(`${name} (${program.name})`, () => suite(program));
      continue;
    }
    console.warn(`SKIPPED: ${wanted} is not on this machine, so "${name}" does not run on it: ${hint}`);
    describe.skip(`${name} (${wanted})`, () => it('has a server to run on', () => expect.fail(hint)));
  }
}

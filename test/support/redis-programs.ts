import { spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { unpackedRedis, valkeyProgram } from '../services/redis-engine.js';
import type { Launch } from '../services/launch.js';

/** How to start a server: its own arguments come behind. */
export interface RedisProgram {
  /** `Redis 7.0.15`, `Valkey 9.1.2`. */
  readonly name: string;
  readonly command: readonly [string, ...string[]];
}

function programAt(...command: [string, ...string[]]): RedisProgram | null {
  const [file, ...options] = command;
  const { status, stdout } = spawnSync(file, [...options, '--version'], { encoding: 'utf8' });
  const [, kind, version] = /^(Redis|Valkey) server v=(\S+)/.exec(stdout ?? '') ?? [];
  return status === 0 && kind !== undefined ? { name: `${kind} ${version}`, command } : null;
}

function fetched(launch: Launch | null): RedisProgram | null {
  return launch && programAt(launch.command, ...launch.args);
}

export const installedRedis = programAt('redis-server');

const FETCH = 'npm run services -- install valkey';
const WANTED: readonly { readonly wanted: string; readonly program: RedisProgram | null; readonly hint: string }[] = [
  { wanted: 'the Redis of this machine', program: installedRedis, hint: 'apt-get install redis-server' },
  { wanted: 'Redis 8', program: fetched(unpackedRedis()), hint: FETCH },
  { wanted: 'Valkey', program: fetched(valkeyProgram()), hint: FETCH },
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

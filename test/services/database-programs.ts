import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.js';
import { unpackDebianPackages, unpackedProgram } from './debian-packages.js';
import { asRoot, ENV_WITH_DAEMONS, type Launch } from './launch.js';

export type DatabaseEngine = 'mariadb' | 'mysql';

/** Where a server of one of the two engines keeps its files, and where it listens. */
export interface DatabasePlace {
  readonly folder: string;
  readonly port: number;
}

export interface DatabasePrograms {
  readonly engine: DatabaseEngine;
  readonly version: string;
  /** Makes the data folder. Ends by itself. */
  install(place: DatabasePlace): Launch;
  server(place: DatabasePlace): Launch;
}

export const MYSQL_PACKAGES = cacheFolder('debian-mysql');

/** What both are told: little memory, loopback only, and all that they write inside their folder. */
export function databaseFiles({ folder }: DatabasePlace): Record<'data' | 'socket' | 'log' | 'init', string> {
  const [data, socket, log, init] = ['data', 'sock', 'log', 'init.sql'].map((name) => join(folder, name)) as [
    ...[string, string, string, string],
  ];
  return { data, socket, log, init };
}

function sharedOptions(place: DatabasePlace): string[] {
  const { data, socket, log, init } = databaseFiles(place);
  return [
    ...[`--datadir=${data}`, `--socket=${socket}`, `--port=${place.port}`, '--bind-address=127.0.0.1'],
    ...[`--pid-file=${join(place.folder, 'pid')}`, `--init-file=${init}`, `--log-error=${log}`, ...asRoot()],
    ...['--skip-name-resolve', '--innodb-buffer-pool-size=32M', '--performance-schema=OFF', '--skip-log-bin'],
    '--character-set-server=utf8mb4',
  ];
}

/** MariaDB of this machine, or null. */
export function mariaDbPrograms(): DatabasePrograms | null {
  const version = versionOf({ command: 'mariadbd', args: [] });
  const hasInstaller = spawnSync('mariadb-install-db', ['--help'], { env: ENV_WITH_DAEMONS }).error === undefined;
  if (version === null || !hasInstaller) return null;
  return {
    ...{ engine: 'mariadb', version },
    install: (place) => ({
      command: 'mariadb-install-db',
      args: [
        ...['--no-defaults', `--datadir=${databaseFiles(place).data}`, ...asRoot()],
        ...['--auth-root-authentication-method=normal', '--skip-test-db', '--innodb-log-file-size=16M'],
      ],
    }),
    server: (place) => ({
      command: 'mariadbd',
      args: ['--no-defaults', ...sharedOptions(place), '--thread-handling=one-thread-per-connection'],
    }),
  };
}

/** MySQL of this machine, else the one that `fetchMySql` has brought, or null. */
export function mySqlPrograms(): DatabasePrograms | null {
  const unpacked = unpackedProgram(MYSQL_PACKAGES, 'sbin/mysqld');
  const choices = [
    // MariaDB's packages may bring a `mysqld` too, which is MariaDB.
    { program: { command: 'mysqld', args: [] }, base: [] as string[] },
    ...(unpacked === null ? [] : [{ program: unpacked, base: [`--basedir=${join(MYSQL_PACKAGES, 'usr')}`] }]),
  ];
  for (const { program, base } of choices) {
    const version = versionOf(program);
    if (version === null || /mariadb/i.test(version)) continue;
    const options = ['--no-defaults', ...base];
    // The redo log of 100 MB that is made by default takes longer than all the rest.
    const small = ['--innodb-redo-log-capacity=16M'];
    return {
      ...{ engine: 'mysql', version },
      install: (place) => ({
        command: program.command,
        args: [
          ...[...program.args, ...options, '--initialize-insecure', `--datadir=${databaseFiles(place).data}`],
          ...[`--log-error=${databaseFiles(place).log}`, ...small, ...asRoot()],
        ],
      }),
      server: (place) => ({
        command: program.command,
        args: [
          ...[...program.args, ...options, ...sharedOptions(place), ...small],
          ...['--mysqlx=OFF', '--secure-file-priv=NULL'],
        ],
      }),
    };
  }
  return null;
}

/** Half a minute, 70 MB to download and 330 MB on the disk; a moment when it is there. */
export async function fetchMySql(): Promise<void> {
  if (!existsSync(MYSQL_PACKAGES)) await unpackDebianPackages(MYSQL_PACKAGES, ['mysql-server-core']);
}

function versionOf({ command, args }: Launch): string | null {
  const { status, stdout } = spawnSync(command, [...args, '--no-defaults', '--version'], {
    env: ENV_WITH_DAEMONS,
    encoding: 'utf8',
  });
  return status === 0 ? stdout.trim() : null;
}

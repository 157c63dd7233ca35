import mysql from 'mysql2/promise';
import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { freePort } from './free-port.js';
import { until } from './until.js';

const BINARY = 'mariadbd';
const INSTALLER = 'mariadb-install-db';
// Where Debian puts daemons; not in every user's path.
const ENV = { ...process.env, PATH: `${process.env['PATH'] ?? ''}:/usr/sbin:/usr/local/sbin` };
/** Whether this machine has a MariaDB to start. */
export const hasMariaDb = [BINARY, INSTALLER].every(
  (name) => spawnSync(name, ['--help'], { env: ENV }).error === undefined,
);

/** A user with every right but no super powers, and a password that a URL has to escape. */
const USER = 'gateway';
const PASSWORD = 'p@ss:w/rd?#%';

/** A suite that needs a real MariaDB: skipped without one, loudly, and failed where CI should have brought it. */
export function describeWithMariaDb(name: string, suite: () => void): void {
  if (hasMariaDb) {
    describe(name, suite);
    return;
  }
  const hint = `no ${BINARY} on this machine, so "${name}" cannot run: apt-get install mariadb-server`;
  if (process.env['CI']) {
    describe(name, () => it('finds a mariadbd', () => expect.fail(hint)));
    return;
  }
  console.warn(`SKIPPED: ${hint}`);
  describe.skip(name, suite);
}

/** A real mariadbd on a free loopback port, with a data folder of its own. `extra` are options of the server. */
export function startMariaDb(...extra: string[]): Promise<MariaDbServer> {
  return MariaDbServer.create(extra);
}

export class MariaDbServer {
  private child: ChildProcess | null = null;
  private databaseCount = 0;
  private rootPool: mysql.Pool | null = null;

  private constructor(
    readonly port: number,
    private readonly folder: string,
    private readonly extra: readonly string[],
  ) {}

  static async create(extra: readonly string[]): Promise<MariaDbServer> {
    const folder = await mkdtemp(join(tmpdir(), 'wecom-mariadb-'));
    const server = new MariaDbServer(await freePort(), folder, extra);
    try {
      await server.install();
      await server.start();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  /** What a user writes into DATABASE_URL. */
  url(database: string): string {
    return `mysql://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.port}/${database}`;
  }

  /** Root's own connections, for looking from outside and for breaking things. Closed with the server. */
  get root(): mysql.Pool {
    this.rootPool ??= mysql.createPool({ socketPath: this.socket, user: 'root', connectionLimit: 4 });
    return this.rootPool;
  }

  /** An empty database of the test's own; its name. The collation is one that merges `a` and `A`, as defaults do. */
  async createDatabase(): Promise<string> {
    const name = `test_${(this.databaseCount += 1)}`;
    await this.root.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_general_ci`);
    return name;
  }

  /** Starts the process, also again after `kill`: on the same port and data. */
  async start(...more: string[]): Promise<void> {
    const options = [
      ...['--no-defaults', `--datadir=${join(this.folder, 'data')}`, `--socket=${this.socket}`],
      ...[`--port=${this.port}`, '--bind-address=127.0.0.1', `--pid-file=${join(this.folder, 'pid')}`],
      ...[`--init-file=${join(this.folder, 'init.sql')}`, `--log-error=${this.log}`, ...asRoot()],
      ...['--skip-name-resolve', '--innodb-buffer-pool-size=32M', '--performance-schema=OFF', '--skip-log-bin'],
      ...['--character-set-server=utf8mb4', '--thread-handling=one-thread-per-connection'],
    ];
    const child = spawn(BINARY, [...options, ...this.extra, ...more], { stdio: 'ignore', env: ENV });
    this.child = child;
    // A test run that is cut off must leave no server behind.
    const killIt = (): void => void child.kill('SIGKILL');
    process.once('exit', killIt);
    child.once('exit', () => process.removeListener('exit', killIt));
    await until(() => this.answers(), 30_000, 'mariadbd answers').catch(async (error: unknown) => {
      throw new Error(await readFile(this.log, 'utf8').catch(() => 'no log'), { cause: error });
    });
  }

  /** Stops answering, as a machine that hangs does; its socket still accepts. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  /** The process ends at once, as in a crash; the data stay. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child !== null && child.exitCode === null && child.signalCode === null) {
      const exit = once(child, 'exit');
      child.kill('SIGKILL');
      await exit;
    }
    await this.rootPool?.end().catch(() => undefined);
    this.rootPool = null;
  }

  /** Ends the sessions of everybody but root, as an administrator or a proxy does. */
  async killConnections(): Promise<void> {
    const [sessions] = await this.root.query<mysql.RowDataPacket[]>('SHOW PROCESSLIST');
    for (const { Id, User } of sessions)
      if (User === USER) await this.root.query(`KILL ${Number(Id)}`).catch(() => undefined);
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  private get socket(): string {
    return join(this.folder, 'sock');
  }

  private get log(): string {
    return join(this.folder, 'log');
  }

  private async install(): Promise<void> {
    const user = `CREATE USER IF NOT EXISTS '${USER}'@'%' IDENTIFIED BY '${PASSWORD}'`;
    await writeFile(join(this.folder, 'init.sql'), `${user};\nGRANT ALL ON \`test\\_%\`.* TO '${USER}'@'%';\n`);
    const options = ['--no-defaults', `--datadir=${join(this.folder, 'data')}`, ...asRoot()];
    const child = spawn(
      INSTALLER,
      [...options, '--auth-root-authentication-method=normal', '--skip-test-db', '--innodb-log-file-size=16M'],
      { stdio: 'ignore', env: ENV },
    );
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${INSTALLER} ended with ${code}`);
  }

  private async answers(): Promise<boolean> {
    if (this.child?.exitCode !== null) throw new Error(`mariadbd ended with ${this.child?.exitCode}`);
    try {
      const connection = await mysql.createConnection({ port: this.port, user: USER, password: PASSWORD });
      await connection.end();
      return true;
    } catch {
      return false;
    }
  }
}

/** The server refuses to run as root unless told so. */
function asRoot(): string[] {
  return process.getuid?.() === 0 ? ['--user=root'] : [];
}

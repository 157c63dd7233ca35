import mysql from 'mysql2/promise';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import {
  databaseFiles,
  mariaDbPrograms,
  mySqlPrograms,
  type DatabaseEngine,
  type DatabasePrograms,
} from '../services/database-programs.js';
import { ENV_WITH_DAEMONS } from '../services/launch.js';
import { freePort } from './free-port.js';
import { until } from './until.js';

/** A user with every right but no super powers, and a password that a URL has to escape. */
const USER = 'gateway';
const PASSWORD = 'p@ss:w/rd?#%';
const INSTALL_LIMIT_MS = 120_000;

const mariaDb = mariaDbPrograms();
const mySql = mySqlPrograms();
/** Whether this machine has a MariaDB to start. */
export const hasMariaDb = mariaDb !== null;

/** Starts a server of one kind; `extra` are options of the server. */
export type StartDatabase = (...extra: string[]) => Promise<DatabaseServer>;

/** A real mariadbd on a free loopback port, with a data folder of its own. */
export const startMariaDb: StartDatabase = (...extra) => DatabaseServer.create(mariaDb, extra);

/** The same of MySQL. */
export const startMySql: StartDatabase = (...extra) => DatabaseServer.create(mySql, extra);

/** A suite that needs a real MariaDB: skipped without one, loudly, and failed where CI should have brought it. */
export function describeWithMariaDb(name: string, suite: () => void): void {
  if (hasMariaDb) describe(name, suite);
  else describeWithout(name, `no mariadbd on this machine, so "${name}" cannot run: apt-get install mariadb-server`);
}

/** A suite that runs once on MariaDB and once on MySQL. Without MySQL as `describeWithMariaDb`, but see below. */
export function describeWithDatabases(
  name: string,
  suite: (start: StartDatabase, engine: DatabaseEngine) => void,
): void {
  const onMariaDb = `${name} on MariaDB`;
  describeWithMariaDb(onMariaDb, () => suite(startMariaDb, 'mariadb'));
  const onMySql = `${name} on MySQL`;
  const hint = `no MySQL on this machine, so "${onMySql}" cannot run: npm run services -- install mysql`;
  if (mySql !== null) {
    describe(onMySql, () => suite(startMySql, 'mysql'));
  } else if (process.env['MYSQL_MAY_BE_MISSING'] === '1') {
    // The distribution's unstable suite, where MySQL comes from, may fail to give it on a day.
    console.warn(`LEFT OUT: ${hint}`);
  } else {
    describeWithout(onMySql, hint);
  }
}

function describeWithout(name: string, hint: string): void {
  if (process.env['CI']) {
    describe(name, () => it('finds its server', () => expect.fail(hint)));
    return;
  }
  console.warn(`SKIPPED: ${hint}`);
  describe.skip(name, () => it('finds its server', () => undefined));
}

export class DatabaseServer {
  private child: ChildProcess | null = null;
  private databaseCount = 0;
  private rootPool: mysql.Pool | null = null;

  private constructor(
    private readonly programs: DatabasePrograms,
    readonly port: number,
    readonly folder: string,
    private readonly extra: readonly string[],
  ) {}

  static async create(programs: DatabasePrograms | null, extra: readonly string[]): Promise<DatabaseServer> {
    if (programs === null) throw new Error('there is no such server on this machine');
    const folder = await mkdtemp(join(tmpdir(), `wecom-${programs.engine}-`));
    const server = new DatabaseServer(programs, await freePort(), folder, extra);
    try {
      await server.install();
      await server.start();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  get engine(): DatabaseEngine {
    return this.programs.engine;
  }

  /** What a user writes into DATABASE_URL. */
  url(database: string): string {
    return `mysql://${USER}:${encodeURIComponent(PASSWORD)}@127.0.0.1:${this.port}/${database}`;
  }

  /** Root's own connections, for looking from outside and for breaking things. Closed with the server. */
  get root(): mysql.Pool {
    this.rootPool ??= mysql.createPool({ socketPath: databaseFiles(this).socket, user: 'root', connectionLimit: 4 });
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
    const { command, args } = this.programs.server(this);
    const child = spawn(command, [...args, ...this.extra, ...more], { stdio: 'ignore', env: ENV_WITH_DAEMONS });
    this.child = child;
    // A test run that is cut off must leave no server behind.
    const killIt = (): void => void child.kill('SIGKILL');
    process.once('exit', killIt);
    child.once('exit', () => process.removeListener('exit', killIt));
    await until(() => this.answers(), 60_000, `${this.engine} answers`).catch(async (error: unknown) => {
      throw new Error(await lastLines(databaseFiles(this).log), { cause: error });
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

  private async install(): Promise<void> {
    const user = `CREATE USER IF NOT EXISTS '${USER}'@'%' IDENTIFIED BY '${PASSWORD}'`;
    const { init, log } = databaseFiles(this);
    await writeFile(init, `${user};\nGRANT ALL ON \`test\\_%\`.* TO '${USER}'@'%';\n`);
    const { command, args } = this.programs.install(this);
    const child = spawn(command, args, { stdio: 'ignore', env: ENV_WITH_DAEMONS, timeout: INSTALL_LIMIT_MS });
    const [code] = (await once(child, 'exit')) as [number | null];
    if (code !== 0) throw new Error(`${command} ended with ${code}\n${await lastLines(log)}`);
  }

  private async answers(): Promise<boolean> {
    if (this.child?.exitCode !== null) throw new Error(`${this.engine} ended with ${this.child?.exitCode}`);
    try {
      const connection = await mysql.createConnection({ port: this.port, user: USER, password: PASSWORD });
      await connection.end();
      return true;
    } catch {
      return false;
    }
  }
}

function lastLines(log: string): Promise<string> {
  return readFile(log, 'utf8').then(
    (text) => text.slice(-3_000),
    () => 'no log',
  );
}

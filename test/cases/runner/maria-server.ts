import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createConnection, type Connection, type RowDataPacket } from 'mysql2/promise';
import { UnsupportedError } from './verdict.js';
import { sleep } from './product-process.js';

const SERVER = '/usr/sbin/mariadbd';
const INSTALL = '/usr/bin/mariadb-install-db';
const START_LIMIT_MS = 60_000;

/** A real MariaDB on a free loopback port; each case gets a database of its own. */
export class MariaServer {
  private child: ChildProcess | null = null;
  private serial = 0;

  private constructor(
    private readonly folder: string,
    private readonly port: number,
  ) {}

  static async start(): Promise<MariaServer> {
    if (spawnSync(SERVER, ['--version']).status !== 0) throw new UnsupportedError(`there is no ${SERVER}`);
    const folder = await mkdtemp(join(tmpdir(), 'wecom-cases-maria-'));
    const data = join(folder, 'data');
    const options = ['--no-defaults', `--datadir=${data}`, '--auth-root-authentication-method=normal'];
    const made = spawnSync(INSTALL, options, { encoding: 'utf8' });
    if (made.status !== 0) throw new Error(`mariadb-install-db: ${made.stderr}`);
    const server = new MariaServer(folder, await freePort());
    await server.run();
    return server;
  }

  async run(): Promise<void> {
    const options = [
      ...['--no-defaults', `--datadir=${join(this.folder, 'data')}`, '--bind-address=127.0.0.1'],
      ...[`--port=${this.port}`, `--socket=${join(this.folder, 's.sock')}`, '--innodb-flush-log-at-trx-commit=1'],
      ...(process.getuid?.() === 0 ? ['--user=root'] : []),
    ];
    const child = spawn(SERVER, options, { stdio: 'ignore' });
    this.child = child;
    const killIt = (): void => void child.kill('SIGKILL');
    process.once('exit', killIt);
    child.once('exit', () => process.removeListener('exit', killIt));
    const deadline = Date.now() + START_LIMIT_MS;
    for (;;) {
      const connection = await this.connect().catch(() => null);
      await connection?.end();
      if (connection) return;
      if (Date.now() > deadline) throw new Error('MariaDB does not answer');
      await sleep(100);
    }
  }

  /** The address of a new, empty database. */
  async freshDatabase(): Promise<string> {
    const name = `case_${(this.serial += 1)}`;
    await this.query(`CREATE DATABASE ${name} CHARACTER SET utf8mb4`);
    return `mysql://root@127.0.0.1:${this.port}/${name}`;
  }

  async query(sql: string): Promise<RowDataPacket[]> {
    const connection = await this.connect();
    try {
      const [rows] = await connection.query<RowDataPacket[]>(sql);
      return rows;
    } finally {
      await connection.end();
    }
  }

  /** The process ends at once, as on a machine that fails. */
  async kill(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  async killConnections(): Promise<void> {
    for (const { Id, User } of await this.query('SHOW PROCESSLIST'))
      if (User !== 'system user') await this.query(`KILL ${Number(Id)}`).catch(() => undefined);
  }

  async stop(): Promise<void> {
    await this.kill();
    await rm(this.folder, { recursive: true, force: true });
  }

  private connect(): Promise<Connection> {
    return createConnection({ host: '127.0.0.1', port: this.port, user: 'root', connectTimeout: 2_000 });
  }
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}

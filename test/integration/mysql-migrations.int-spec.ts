import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { MigrationInterface, QueryRunner } from 'typeorm';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { DatabaseConfig } from '../../src/config/config.js';
import { mysqlOptions } from '../../src/database/mysql/mysql-options.js';
import { MysqlServerCheck, openChecked } from '../../src/database/mysql/mysql-server-check.js';
import { migrateGateway } from '../../src/migrate-gateway.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { MIGRATIONS } from '../../migrations/migrations.js';
import { describeWithDatabases, type DatabaseServer } from '../support/database-server.js';
import type { DatabaseEngine } from '../services/database-programs.js';
import { mysqlSettings, openMysqlDatabase } from '../support/mysql-database.js';

const NAMES = MIGRATIONS.map((migration) => new migration().name);
const LAST = NAMES.at(-1);
const PROGRAM = resolve(import.meta.dirname, '../../dist/src/migrate.js');

/** Of a user's own: slow enough to meet another process, and it leaves a trace of each run. */
class CreateTraces1900000000000 implements MigrationInterface {
  readonly name = 'CreateTraces1900000000000';
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('CREATE TABLE IF NOT EXISTS trace (id INT AUTO_INCREMENT PRIMARY KEY)');
    await runner.query('SELECT SLEEP(0.3)');
    await runner.query('INSERT INTO trace VALUES ()');
  }
  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP TABLE trace');
  }
}

describeWithDatabases('migrations', (start, engine) => {
  let server: DatabaseServer;
  let database: string;
  let config: DatabaseConfig;
  beforeAll(async () => {
    server = await start();
  });
  afterAll(() => server.stop());
  beforeEach(async () => {
    database = await server.createDatabase();
    config = { store: mysqlSettings(server, database), dataDir: 'not used', leaseMaxLifeMs: 120_000 };
  });

  const query = async <Row>(sql: string): Promise<Row[]> => (await server.root.query(sql))[0] as Row[];
  /** Every table as its server describes it. */
  async function schema(): Promise<Record<string, string>> {
    const tables = await query<{ name: string }>(
      `SELECT TABLE_NAME AS name FROM information_schema.TABLES WHERE TABLE_SCHEMA = '${database}' ORDER BY 1`,
    );
    const found: Record<string, string> = {};
    for (const { name } of tables.filter(({ name: one }) => one !== 'migrations')) {
      const [row] = await query<Record<string, string>>(`SHOW CREATE TABLE ${database}.${name}`);
      found[name] = (row?.['Create Table'] ?? '').replace(/ AUTO_INCREMENT=\d+/, '');
    }
    return found;
  }
  const open = (): Promise<DataSource> => {
    const settings = mysqlSettings(server, database);
    const clock = new SystemClock();
    const migrations = { entities: [], migrations: MIGRATIONS };
    return openChecked(() => new DataSource(mysqlOptions(settings, migrations, clock, 'read write')), clock, settings);
  };
  const opensWith = async (): Promise<unknown> =>
    open().then(
      (source) => source.destroy(),
      (error: unknown) => error,
    );

  it('go up, down to nothing and up again to the same schema', async () => {
    expect(await migrateGateway({ config, action: 'status' })).toMatchObject({ pending: NAMES, done: [] });
    expect(await schema()).toEqual({});
    expect(await migrateGateway({ config })).toMatchObject({ moved: NAMES, pending: [] });
    const first = await schema();
    expect(Object.keys(first)).toEqual(expect.arrayContaining(['event_log', 'saga', 'outbox', 'approval_order']));
    for (const name of [...NAMES].reverse()) {
      expect((await migrateGateway({ config, action: 'down' })).moved).toEqual([name]);
    }
    expect(await schema()).toEqual({});
    await migrateGateway({ config });
    expect(await schema()).toEqual(first);
    expect((await migrateGateway({ config })).moved).toEqual([]);
  });

  it('are what a start refuses to go without, by their names', async () => {
    expect(await opensWith()).toMatchObject({ code: 'SCHEMA_BEHIND', pending: NAMES });
    // A look needs no right to create tables, and creates none.
    expect(await query(`SHOW TABLES FROM ${database}`)).toEqual([]);
    await migrateGateway({ config });
    expect(await opensWith()).toBeUndefined();
    await migrateGateway({ config, action: 'down' });
    const error = await opensWith();
    expect(error).toMatchObject({ code: 'SCHEMA_BEHIND', pending: [LAST] });
    expect((error as Error).message).toContain('npm run migrate');
  });

  it('run once when several processes run them at once', async () => {
    const migrations = [CreateTraces1900000000000];
    const results = await Promise.all(Array.from({ length: 3 }, () => migrateGateway({ config, migrations })));
    const moved = results.map((one) => one.moved).sort((a, b) => b.length - a.length);
    expect(moved).toEqual([[...NAMES, 'CreateTraces1900000000000'], [], []]);
    expect(await query(`SELECT id FROM ${database}.trace`)).toHaveLength(1);
    expect(await query(`SELECT name FROM ${database}.migrations`)).toHaveLength(NAMES.length + 1);
  });

  it('of two databases on one server do not wait for each other', async () => {
    const other = await server.createDatabase();
    const holder = await server.root.getConnection();
    try {
      await holder.query(`USE ${other}`);
      await holder.query("SELECT GET_LOCK(CONCAT('wecom.migrate.', LEFT(SHA2(DATABASE(), 256), 40)), 0)");
      expect((await migrateGateway({ config })).moved).toEqual(NAMES);
    } finally {
      holder.destroy();
    }
  });

  it('run as a program whose exit code tells what there was to do', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wecom-migrate-'));
    const run = async (...args: string[]): Promise<{ code: unknown; text: string }> => {
      const env = { PATH: process.env['PATH'], STORE: engine, DATABASE_URL: server.url(database), DATA_DIR: folder };
      const child = spawn(process.execPath, [PROGRAM, ...args], { env });
      let text = '';
      for (const stream of [child.stdout, child.stderr])
        stream.on('data', (chunk: Buffer) => (text += chunk.toString()));
      const [code] = (await once(child, 'close')) as [number | null];
      return { code, text };
    };
    expect(await run('--status')).toEqual({ code: 3, text: NAMES.map((name) => `pending  ${name}\n`).join('') });
    expect(await run()).toEqual({ code: 0, text: NAMES.map((name) => `run: ${name}\n`).join('') });
    expect(await run()).toEqual({ code: 0, text: 'nothing to do\n' });
    expect(await run('--down')).toEqual({ code: 0, text: `taken back: ${LAST}\npending  ${LAST}\n` });
    expect(await run('--sideways')).toMatchObject({ code: 2 });
    await query(`DROP DATABASE ${database}`);
    const failed = await run();
    expect(failed.code).toBe(1);
    expect(failed.text).not.toContain(new URL(server.url(database)).password);
    await rm(folder, { recursive: true });
    // Six processes, each of which loads the whole service.
  }, 240_000);

  it('leave tables that a start refuses once the index that decides is gone, or cut short', async () => {
    await migrateGateway({ config });
    const index = 'uq_event_log_corp_id_event_type_msg_id_or_hash';
    await query(`ALTER TABLE ${database}.event_log DROP INDEX ${index}`);
    const [fault] = ['event_log has no unique index on (corp_id, event_type, msg_id_or_hash)'];
    expect(await opensWith()).toMatchObject({ code: 'DATABASE_UNFIT', faults: [fault] });
    await query(`ALTER TABLE ${database}.event_log ADD UNIQUE INDEX ${index} (corp_id, event_type, msg_id_or_hash(8))`);
    expect(await opensWith()).toMatchObject({ code: 'DATABASE_UNFIT', faults: [fault] });
  });

  it('are refused on the other of the two servers', async () => {
    const other: DatabaseEngine = engine === 'mysql' ? 'mariadb' : 'mysql';
    config = { ...config, store: { ...mysqlSettings(server, database), engine: other } };
    await migrateGateway({ config });
    const settings = { ...mysqlSettings(server, database), engine: other };
    const clock = new SystemClock();
    const migrations = { entities: [], migrations: MIGRATIONS };
    const opened = openChecked(
      () => new DataSource(mysqlOptions(settings, migrations, clock, 'read write')),
      clock,
      settings,
    );
    await expect(opened).rejects.toThrow(`set STORE=${engine}`);
  });

  it('and settings of the server that weaken a promise show as warnings, and go when they are mended', async () => {
    const clock = new SystemClock();
    const opened = await openMysqlDatabase(server, clock, { migrations: MIGRATIONS });
    const warned: unknown[] = [];
    const log = { warn: (_event: string, fields: unknown) => void warned.push(fields) };
    const check = new MysqlServerCheck(opened.unitOfWork, clock, log, { engine, bodyBytesMax: 1_048_576 });
    const reason = async (): Promise<string | undefined> => {
      await check.look();
      return check.trouble()?.reason;
    };
    expect(await reason()).toBeUndefined();
    try {
      await query('SET GLOBAL innodb_flush_log_at_trx_commit = 2');
      expect(await reason()).toBe(
        'innodb_flush_log_at_trx_commit is not 1: a crash of the server loses what it has committed',
      );
      await check.look();
      expect(warned).toHaveLength(1);
    } finally {
      await query('SET GLOBAL innodb_flush_log_at_trx_commit = 1');
    }
    expect(await reason()).toBeUndefined();
    await query(
      `ALTER TABLE ${opened.name}.saga MODIFY entity_id VARCHAR(512) CHARACTER SET utf8mb4
        COLLATE utf8mb4_general_ci NOT NULL`,
    );
    expect(await reason()).toContain('saga.entity_id takes different keys for one: collation utf8mb4_general_ci');
    await query(`INSERT INTO ${opened.name}.migrations (timestamp, name) VALUES (1, 'OfTheNextVersion1')`);
    expect(await reason()).toContain('the schema is newer than this version: OfTheNextVersion1');
    await opened.close();
    // A database that is away says nothing new: the unit of work tells of it.
    expect(await reason()).toContain('saga.entity_id');
  });
});

import { DataSource } from 'typeorm';
import { parseDatabaseUrl } from '../../src/config/database-address.js';
import { mysqlOptions, type MysqlSettings } from '../../src/database/mysql/mysql-options.js';
import { MysqlUnitOfWork } from '../../src/database/mysql/mysql-unit-of-work.js';
import type { Schema } from '../../src/database/schema.js';
import type { Clock } from '../../src/runtime/clock.js';
import type { DatabaseServer } from './database-server.js';

export interface MysqlDatabase {
  readonly name: string;
  readonly settings: MysqlSettings;
  readonly writer: DataSource;
  readonly unitOfWork: MysqlUnitOfWork;
  /** Outside of every transaction, as an auditor reads: by root, over its own connection. */
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

export function mysqlSettings(server: DatabaseServer, database: string): MysqlSettings {
  const address = parseDatabaseUrl(server.url(database));
  if (address === null) throw new Error('the test server has a URL that the service refuses');
  return { engine: server.engine, address, poolMax: 4, timeoutMs: 5_000, leaseMaxLifeMs: 120_000 };
}

/** A database of its own on a real server, its migrations run. `note` is a table for the handlers of tests. */
export async function openMysqlDatabase(
  server: DatabaseServer,
  clock: Clock,
  schema: Partial<Schema> = {},
  { port, ...changed }: Partial<MysqlSettings> & { readonly port?: number } = {},
): Promise<MysqlDatabase> {
  const name = await server.createDatabase();
  const given = mysqlSettings(server, name);
  // Another port is that of a proxy before the server.
  const settings = { ...given, address: { ...given.address, port: port ?? server.port }, ...changed };
  const { entities = [], migrations = [] } = schema;
  const writer = await new DataSource(
    mysqlOptions(settings, { entities, migrations }, clock, 'read write'),
  ).initialize();
  await writer.runMigrations();
  await writer.query(
    `CREATE TABLE note (id BIGINT PRIMARY KEY AUTO_INCREMENT, event_key VARCHAR(64) NOT NULL, text MEDIUMTEXT NOT NULL)
      ENGINE = InnoDB`,
  );
  const reader = await new DataSource(
    mysqlOptions(settings, { entities, migrations }, clock, 'read only'),
  ).initialize();
  const unitOfWork = new MysqlUnitOfWork(writer, reader, clock, settings.timeoutMs);
  return {
    ...{ name, settings, writer, unitOfWork },
    query: async <Row>(sql: string, values: readonly unknown[] = []) => {
      const connection = await server.root.getConnection();
      try {
        await connection.query(`USE ${name}`);
        const [rows] = await connection.query(sql, [...values]);
        return rows as Row[];
      } finally {
        connection.release();
      }
    },
    close: () => unitOfWork.onApplicationShutdown(),
  };
}

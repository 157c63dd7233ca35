import { DataSource } from 'typeorm';
import type { Clock } from '../../runtime/clock.js';
import { migrateDatabase, type MigrateAction, type MigrateResult } from '../migrate-database.js';
import type { Schema } from '../schema.js';
import { mysqlOptions, type MysqlSettings } from './mysql-options.js';
import { openSource } from './mysql-server-check.js';

/** Another process runs migrations on this database, and did not end in time. */
export class MigrationsRunningError extends Error {
  readonly code = 'MIGRATIONS_RUNNING';

  constructor() {
    super(`another process has been running migrations on this database for ${LOCK_WAIT_SECONDS} s`);
    this.name = 'MigrationsRunningError';
  }
}

const LOCK_WAIT_SECONDS = 60;
/** Locks are the server's, not the database's, and their names have at most 64 characters. */
const LOCK_NAME = "CONCAT('wecom.migrate.', LEFT(SHA2(DATABASE(), 256), 40))";

/** One process at a time: the lock and the migrations share a connection, so that neither outlives the other. */
export async function migrateMysql(
  settings: MysqlSettings,
  schema: Schema,
  clock: Clock,
  action: MigrateAction,
): Promise<MigrateResult> {
  const source = await openSource(() => new DataSource(mysqlOptions(settings, schema, clock, 'migrate')), clock);
  return migrateDatabase(source, action, async (runner) => {
    const answer: unknown = await runner.query(`SELECT GET_LOCK(${LOCK_NAME}, ${LOCK_WAIT_SECONDS}) AS got`);
    if ((answer as readonly { got: unknown }[])[0]?.got !== 1) throw new MigrationsRunningError();
  });
}

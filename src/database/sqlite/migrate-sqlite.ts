import { DataSource } from 'typeorm';
import { migrateDatabase, type MigrateAction, type MigrateResult } from '../migrate-database.js';
import { readOnlyOptions, sqliteOptions, type SqliteSettings } from './sqlite-options.js';

/** Whoever calls this holds the data folder, but for `status`. */
export async function migrateSqlite(settings: SqliteSettings, action: MigrateAction): Promise<MigrateResult> {
  const isStatus = action === 'status';
  const options = { ...(isStatus ? readOnlyOptions(settings) : sqliteOptions(settings)), migrationsRun: false };
  const source = await new DataSource(options).initialize();
  return migrateDatabase(source, action);
}

import { DataSource } from 'typeorm';
import { driverErrorKind } from '../database-errors.js';
import { migrateDatabase, type MigrateAction, type MigrateResult } from '../migrate-database.js';
import { readOnlyOptions, sqliteOptions, type SqliteSettings } from './sqlite-options.js';

/** Whoever calls this holds the data folder, but for `status`. */
export async function migrateSqlite(settings: SqliteSettings, action: MigrateAction): Promise<MigrateResult> {
  const isStatus = action === 'status';
  const options = { ...(isStatus ? readOnlyOptions(settings) : sqliteOptions(settings)), migrationsRun: false };
  const source = new DataSource(options);
  try {
    await source.initialize();
  } catch (error) {
    if (!isStatus || driverErrorKind(error) !== 'unavailable') throw error;
    // No file yet: a look makes none.
    const pending = settings.migrations.map((migration) => migration.name);
    return { done: [], pending, unknown: [], moved: [] };
  }
  return migrateDatabase(source, action);
}

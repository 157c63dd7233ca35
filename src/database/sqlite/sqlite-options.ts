import type { Schema } from '../schema.js';
import { SqliteDriver } from './sqlite-driver.js';

export interface SqliteSettings extends Schema {
  readonly path: string;
}

/** TypeORM's settings for the embedded database. Pending migrations run at start. */
export function sqliteOptions({ path, entities, migrations }: SqliteSettings) {
  return {
    type: 'better-sqlite3' as const,
    driver: SqliteDriver,
    database: path,
    enableWAL: true,
    entities: [...entities],
    migrations: [...migrations],
    migrationsRun: true,
    migrationsTransactionMode: 'each' as const,
    // A commit has to survive a power cut: an effect that a machine forgets is run again, but its answer is gone.
    prepareDatabase: (database: SqliteDriver) => database.exec('PRAGMA synchronous = FULL'),
  };
}

/** A further connection to the same file; it must not be opened before the writer has made it. */
export function readOnlyOptions(options: SqliteSettings) {
  return { ...sqliteOptions(options), readonly: true, migrationsRun: false, prepareDatabase: undefined };
}

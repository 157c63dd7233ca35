import type { Type } from '@nestjs/common';
import { join } from 'node:path';
import type { MigrationInterface } from 'typeorm';
import type { DatabaseConfig } from './config/config.js';
import type { MigrateAction, MigrateResult } from './database/migrate-database.js';
import { migrateMysql } from './database/mysql/migrate-mysql.js';
import { migrateSqlite } from './database/sqlite/migrate-sqlite.js';
import { DataFolderLock } from './database/sqlite/data-folder-lock.js';
import { SystemClock } from './runtime/system-clock.js';
import { MIGRATIONS } from '../migrations/migrations.js';

export interface MigrateOptions {
  /** From `loadDatabaseConfig`, or the whole of `loadConfig`. */
  readonly config: DatabaseConfig;
  /** Migrations of your tables, as given to `startGateway`. */
  readonly migrations?: readonly Type<MigrationInterface>[];
  /** `up` (default) runs what is pending, `down` takes the last one back, `status` looks. */
  readonly action?: MigrateAction;
}

/** Brings the tables up to this version: what `npm run migrate` does, for services with tables of their own. */
export async function migrateGateway({
  config,
  migrations = [],
  action = 'up',
}: MigrateOptions): Promise<MigrateResult> {
  const schema = { entities: [], migrations: [...MIGRATIONS, ...migrations] };
  const { store, dataDir, leaseMaxLifeMs } = config;
  if (store.engine !== 'sqlite') return migrateMysql({ ...store, leaseMaxLifeMs }, schema, new SystemClock(), action);
  const settings = { ...schema, path: join(dataDir, 'wecom.sqlite') };
  if (action === 'status') return migrateSqlite(settings, action);
  const lock = DataFolderLock.take(dataDir, `process ${process.pid} (migrations)`);
  try {
    return await migrateSqlite(settings, action);
  } finally {
    lock.release();
  }
}

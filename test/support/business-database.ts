import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { MIGRATIONS } from '../../migrations/migrations.js';
import { readOnlyOptions, sqliteOptions } from '../../src/database/sqlite/sqlite-options.js';
import { SqliteUnitOfWork } from '../../src/database/sqlite/sqlite-unit-of-work.js';
import type { Clock } from '../../src/runtime/clock.js';

export interface BusinessDatabase {
  readonly unitOfWork: SqliteUnitOfWork;
  /** Outside of every transaction, as an auditor reads. */
  query<Row>(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  close(): Promise<void>;
}

/** A real SQLite file in a folder of its own, all migrations run. `note` is a table for the handlers of tests. */
export async function openBusinessDatabase(
  clock: Clock,
  entities: readonly (new () => object)[] = [],
): Promise<BusinessDatabase> {
  const folder = await mkdtemp(join(tmpdir(), 'worker-rig-'));
  const options = {
    path: join(folder, 'wecom.sqlite'),
    entities,
    migrations: MIGRATIONS,
  };
  const writer = await new DataSource(sqliteOptions(options)).initialize();
  await writer.query('CREATE TABLE note (id INTEGER PRIMARY KEY, event_key TEXT NOT NULL, text TEXT NOT NULL)');
  const reader = await new DataSource(readOnlyOptions(options)).initialize();
  const unitOfWork = new SqliteUnitOfWork(writer, reader, clock);
  return {
    unitOfWork,
    query: (sql, values = []) => reader.query(sql, [...values]),
    close: async () => {
      await unitOfWork.onApplicationShutdown();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

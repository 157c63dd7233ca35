import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { CreateTables1796000000000 } from '../../migrations/1796000000000-create-tables.js';
import { CreateBusinessTables1796000000001 } from '../../migrations/1796000000001-create-business-tables.js';
import { CreateRedriveJobs1796000000002 } from '../../migrations/1796000000002-create-redrive-jobs.js';
import { CreateMemberAndTagTables1796000000003 } from '../../migrations/1796000000003-create-member-and-tag-tables.js';
import { CreateAccessTables1796000000004 } from '../../migrations/1796000000004-create-access-tables.js';
import { CreateHandlerPauses1796000000005 } from '../../migrations/1796000000005-create-handler-pauses.js';
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
    migrations: [
      ...[CreateTables1796000000000, CreateBusinessTables1796000000001, CreateRedriveJobs1796000000002],
      ...[CreateMemberAndTagTables1796000000003, CreateAccessTables1796000000004, CreateHandlerPauses1796000000005],
    ],
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

import { MIGRATIONS } from '../../migrations/migrations.js';
import type { MysqlSettings } from '../../src/database/mysql/mysql-options.js';
import type { UnitOfWork } from '../../src/database/unit-of-work.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { openBusinessDatabase } from '../support/business-database.js';
import { ManualClock } from '../support/manual-clock.js';
import type { DatabaseServer } from '../support/database-server.js';
import { openMysqlDatabase, type MysqlDatabase } from '../support/mysql-database.js';

/** A store on a business database of its own, with the tables of the migrations and nothing in them. */
export interface StoreHarness<Store> {
  make(): Promise<{ readonly store: Store; readonly unitOfWork: UnitOfWork }>;
  /** Closes what `make` opened since the last call. */
  close(): Promise<void>;
}

export function sqliteHarness<Store>(makeStore: () => Store): StoreHarness<Store> {
  const opened: { close(): Promise<void> }[] = [];
  return {
    make: async () => {
      const database = await openBusinessDatabase(new ManualClock());
      opened.push(database);
      return { store: makeStore(), unitOfWork: database.unitOfWork };
    },
    close: async () => {
      for (const database of opened.splice(0)) await database.close();
    },
  };
}

/** One database for a whole file, emptied for each test: making one takes longer than most tests. */
export class MysqlHarness<Store> implements StoreHarness<Store> {
  private database: MysqlDatabase | null = null;

  constructor(
    private readonly server: () => DatabaseServer,
    private readonly makeStore: (unitOfWork: UnitOfWork) => Store,
    private readonly settings: Partial<MysqlSettings> = {},
  ) {}

  async make(): Promise<{ store: Store; unitOfWork: UnitOfWork }> {
    const schema = { migrations: MIGRATIONS };
    const database = (this.database ??= await openMysqlDatabase(
      this.server(),
      new SystemClock(),
      schema,
      this.settings,
    ));
    for (const table of ['event_log', 'event_history', 'saga', 'entity_change', 'outbox'])
      await database.query(`DELETE FROM ${table}`);
    return { store: this.makeStore(database.unitOfWork), unitOfWork: database.unitOfWork };
  }

  async close(): Promise<void> {
    // Kept for the next test.
  }

  async end(): Promise<void> {
    await this.database?.close();
  }
}

import type { UnitOfWork } from '../../src/database/unit-of-work.js';
import { openBusinessDatabase } from '../support/business-database.js';
import { ManualClock } from '../support/manual-clock.js';

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

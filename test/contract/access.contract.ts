import { openBusinessDatabase } from '../support/business-database.js';
import { ManualClock } from '../support/manual-clock.js';
import { describeAccess } from './access.suite.js';

const opened: { close(): Promise<void> }[] = [];

describeAccess('access on SQLite', {
  make: async () => {
    const database = await openBusinessDatabase(new ManualClock());
    opened.push(database);
    return database.unitOfWork;
  },
  close: async () => {
    for (const database of opened.splice(0)) await database.close();
  },
});

import type { Tx, UnitOfWork } from '../../src/database/unit-of-work.js';
import type { EventLog, EventRow } from '../../src/event-log/event-log.js';
import type { MysqlDatabase } from './mysql-database.js';
import { until } from './until.js';

/** Opens once; whoever passes before waits. */
export class Gate {
  arrivals = 0;
  readonly open: () => void;
  private readonly opened: Promise<void>;

  constructor() {
    let open = (): void => undefined;
    this.opened = new Promise((resolve) => (open = resolve));
    this.open = open;
  }

  async pass(): Promise<void> {
    this.arrivals += 1;
    await this.opened;
  }

  arrived(): Promise<void> {
    return until(() => this.arrivals > 0, 10_000, 'somebody arrives at the gate');
  }
}

/** The same manager, but `between` runs before the first statement that holds `text`. */
export function interrupted(manager: Tx['manager'], text: string, between: () => Promise<void>): Tx['manager'] {
  let isDue = true;
  return Object.assign(Object.create(manager) as Tx['manager'], {
    query: async (sql: string, values?: unknown[]): Promise<unknown> => {
      if (isDue && sql.includes(text)) {
        isDue = false;
        await between();
      }
      return manager.query(sql, values);
    },
  });
}

/** Not from INNODB_TRX: whoever asks it more often than every 100 ms gets the same answer for ever. */
export async function rowLocksWaitedFor(database: MysqlDatabase): Promise<number> {
  const sql = "SHOW GLOBAL STATUS LIKE 'Innodb_row_lock_current_waits'";
  return Number((await database.query<{ Value: string }>(sql))[0]?.Value);
}

export async function storedRow(unitOfWork: UnitOfWork, log: EventLog, eventKey: string): Promise<EventRow> {
  const [row] = await unitOfWork.read((tx) => log.search(tx, { eventKeys: [eventKey], limit: 1 }));
  if (!row) throw new Error(`${eventKey} has no row`);
  return row;
}

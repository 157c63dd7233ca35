import type { Tx } from '../../src/database/unit-of-work.js';
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

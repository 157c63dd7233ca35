import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import type { EventStatus } from '../event-log/event-log.js';
import { OUTCOMES, WAITING } from '../event-log/status.js';
import { Clock } from '../runtime/clock.js';
import { RestedCount } from './rested-count.js';

export const STEP_MS = 60_000;
export const STEPS = 60;
// A thousand events a second are 300,000 index entries a slice, some 30 ms of SQLite's event loop.
const SLICE_STEPS = 5;

export interface Arrivals {
  readonly at: number;
  readonly from: number;
  readonly steps: readonly { readonly at: number; readonly statuses: Readonly<Record<string, number>> }[];
}

/** Events by the minute of their arrival and by what they are now, over the last hour. The SQL is portable. */
@Injectable()
export class ArrivalCounts {
  private readonly counted: RestedCount<Arrivals>;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {
    this.counted = new RestedCount(clock, () => this.count());
  }

  read(): Promise<Arrivals> {
    return this.counted.read();
  }

  private async count(): Promise<Arrivals> {
    const at = this.clock.now();
    const last = at - (at % STEP_MS);
    const from = last - (STEPS - 1) * STEP_MS;
    const steps: { at: number; statuses: Record<string, number> }[] = Array.from({ length: STEPS }, (_, index) => ({
      at: from + index * STEP_MS,
      statuses: {},
    }));
    for (let first = 0; first < STEPS; first += SLICE_STEPS) {
      const begin = from + first * STEP_MS;
      for (const status of [...OUTCOMES, ...WAITING]) {
        for (const { step, total } of await this.slice(status, begin, begin + SLICE_STEPS * STEP_MS)) {
          const found = steps[(Number(step) - from) / STEP_MS];
          if (found) found.statuses[status] = Number(total);
        }
      }
      await this.clock.nextTurn();
    }
    return { at, from, steps };
  }

  private slice(status: EventStatus, from: number, to: number): Promise<{ step: number; total: number }[]> {
    return this.unitOfWork.read(({ manager }) =>
      manager.query<{ step: number; total: number }[]>(
        `SELECT received_at - received_at % ${STEP_MS} AS step, COUNT(*) AS total FROM event_log
         WHERE status = ? AND received_at >= ? AND received_at < ? GROUP BY received_at - received_at % ${STEP_MS}`,
        [status, from, to],
      ),
    );
  }
}

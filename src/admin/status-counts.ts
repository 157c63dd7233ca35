import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import type { EventStatus, Outcome, WaitingStatus } from '../event-log/event-log.js';
import { OUTCOMES, WAITING } from '../event-log/status.js';
import { Clock } from '../runtime/clock.js';
import { RestedCount } from './rested-count.js';

export interface Counted {
  readonly statuses: Partial<Record<EventStatus, number>>;
  /** When the outcomes were counted; waiting rows are counted each time. */
  readonly outcomesAt: number;
}

interface Outcomes {
  readonly counts: Partial<Record<Outcome, number>>;
  readonly at: number;
}

// A count over the index takes about 50 ns a row of the event loop on SQLite; in pieces, so that a callback gets in.
const PIECE_ROWS = 100_000;

/**
 * How many rows have which status. Waiting rows are few and counted each time; outcomes are many and only grow, so their
 * count may be as old as it is dear. The SQL is portable.
 */
@Injectable()
export class StatusCounts {
  private readonly outcomes: RestedCount<Outcomes>;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {
    this.outcomes = new RestedCount(clock, () => this.countOutcomes());
  }

  async read(): Promise<Counted> {
    const { counts, at } = await this.outcomes.read();
    const waiting = await this.waiting();
    return { statuses: { ...counts, ...waiting }, outcomesAt: at };
  }

  /** Statuses without a row are missing. */
  async waiting(): Promise<Partial<Record<WaitingStatus, number>>> {
    const counts: Partial<Record<WaitingStatus, number>> = {};
    for (const status of WAITING) {
      const count = await this.count(status, 0, null);
      if (count > 0) counts[status] = count;
    }
    return counts;
  }

  private async countOutcomes(): Promise<Outcomes> {
    const at = this.clock.now();
    const counts: Partial<Record<Outcome, number>> = {};
    for (const status of OUTCOMES) {
      const count = await this.inPieces(status);
      if (count > 0) counts[status] = count;
    }
    return { counts, at };
  }

  private async inPieces(status: EventStatus): Promise<number> {
    let total = 0;
    for (let from = 0; ;) {
      const edge = await this.edge(status, from);
      total += await this.count(status, from, edge);
      if (edge === null) return total;
      from = edge;
      await this.clock.nextTurn();
    }
  }

  /** A time of arrival that ends the piece; it must be a later one than `from`, or the count would go in a circle. */
  private async edge(status: EventStatus, from: number): Promise<number | null> {
    const rows = await this.unitOfWork.read(({ manager }) =>
      manager.query<{ received_at: number }[]>(
        'SELECT received_at FROM event_log WHERE status = ? AND received_at >= ? ORDER BY received_at LIMIT 1 OFFSET ?',
        [status, from, PIECE_ROWS],
      ),
    );
    const [row] = rows;
    if (!row) return null;
    return row.received_at > from ? row.received_at : from + 1;
  }

  private async count(status: EventStatus, from: number, to: number | null): Promise<number> {
    const [upTo, values] = to === null ? ['', []] : [' AND received_at < ?', [to]];
    const rows = await this.unitOfWork.read(({ manager }) =>
      manager.query<{ total: number }[]>(
        `SELECT COUNT(*) AS total FROM event_log WHERE status = ? AND received_at >= ?${upTo}`,
        [status, from, ...values],
      ),
    );
    return Number(rows[0]?.total ?? 0);
  }
}

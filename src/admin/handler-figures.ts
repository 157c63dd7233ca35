import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import type { EventStatus } from '../event-log/status.js';
import { HandlerPausedError } from '../handlers/handler-paused-error.js';
import { HandlerRegistry } from '../handlers/handler-registry.js';
import { errorGroupOf } from '../event-log/error-group.js';
import { Clock } from '../runtime/clock.js';
import { RestedCount } from './rested-count.js';

const PERIOD_MS = 3_600_000;
/** On SQLite a count holds up the event loop, about 3 µs a row. */
const EVENTS_MAX = 10_000;
export const WAITING_COUNT_MAX = 10_000;

/** What became of the events of one handler, so far. */
export interface HandlerFigure {
  readonly statuses: Readonly<Record<string, number>>;
  readonly runs: number;
  readonly failedRuns: number;
}

export interface HandlerFigures {
  /** Of events received from then on. */
  readonly since: number;
  readonly events: number;
  /** By what `HandlerRegistry.list` calls `event`. */
  readonly byEvent: ReadonlyMap<string, HandlerFigure>;
}

interface RawFigure {
  readonly event_type: string;
  readonly change_type: string | null;
  readonly status: EventStatus;
  readonly total: number;
  readonly runs: number;
}

/** How the events of each handler have fared: of the last hour, or of the newest ten thousand. The SQL is portable. */
@Injectable()
export class HandlerFigureReader {
  private readonly figures: RestedCount<HandlerFigures>;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly handlers: HandlerRegistry,
    private readonly clock: Clock,
  ) {
    this.figures = new RestedCount(clock, () => this.count());
  }

  read(): Promise<HandlerFigures> {
    return this.figures.read();
  }

  /** Events that wait for this handler to be resumed, not those behind them; `WAITING_COUNT_MAX` + 1 means more. */
  async waitingFor(tx: Tx, handler: string): Promise<number> {
    const { code, message } = new HandlerPausedError(handler);
    const rows: { total: number }[] = await tx.manager.query(
      `SELECT COUNT(*) AS total FROM (SELECT 1 FROM event_log
         WHERE error_group = ? AND status = 'RETRY' AND error_message = ? LIMIT ?) AS waiting`,
      [errorGroupOf(code, message), message, WAITING_COUNT_MAX + 1],
    );
    return Number(rows[0]?.total ?? 0);
  }

  private async count(): Promise<HandlerFigures> {
    return this.unitOfWork.read(async (tx) => {
      const from = this.clock.now() - PERIOD_MS;
      const since = await oldestOf(tx, from);
      const rows: RawFigure[] = await tx.manager.query(
        `SELECT event_type, change_type, status, COUNT(*) AS total, SUM(attempt) AS runs FROM event_log
         WHERE received_at >= ? GROUP BY event_type, change_type, status`,
        [since],
      );
      const events = rows.reduce((sum, { total }) => sum + Number(total), 0);
      return { since, events, byEvent: this.byEvent(rows) };
    });
  }

  private byEvent(rows: readonly RawFigure[]): Map<string, HandlerFigure> {
    const found = new Map<string, HandlerFigure>();
    for (const row of rows) {
      const event = this.eventOf(row.event_type, row.change_type);
      if (event === null) continue;
      found.set(event, sumOf(found.get(event), row));
    }
    return found;
  }

  /** Under which of the names in the registry's list the handler takes it. */
  private eventOf(eventType: string, changeType: string | null): string | null {
    const handler = this.handlers.handlerOf(eventType, changeType)?.handler;
    const names = changeType === null ? [eventType] : [`${eventType}/${changeType}`, eventType];
    const known = this.handlers.list().filter((one) => one.handler === handler && names.includes(one.event));
    return names.find((name) => known.some(({ event }) => event === name)) ?? null;
  }
}

/** The time of arrival from which on there are `EVENTS_MAX` events at most, or nearly so: several may share it. */
async function oldestOf(tx: Tx, from: number): Promise<number> {
  const rows: { received_at: number }[] = await tx.manager.query(
    'SELECT received_at FROM event_log WHERE received_at >= ? ORDER BY received_at DESC LIMIT 1 OFFSET ?',
    [from, EVENTS_MAX],
  );
  return rows[0] ? rows[0].received_at + 1 : from;
}

function sumOf(before: HandlerFigure | undefined, { status, total, runs }: RawFigure): HandlerFigure {
  // The last run of an event with an outcome did not fail, whether or not it called the handler.
  const hasSucceeded = !['RETRY', 'PARKED', 'DEAD', 'REDRIVEN', 'DISCARDED'].includes(status);
  const failed = hasSucceeded ? Math.max(0, Number(runs) - Number(total)) : Number(runs);
  return {
    statuses: { ...before?.statuses, [status]: (before?.statuses[status] ?? 0) + Number(total) },
    runs: (before?.runs ?? 0) + Number(runs),
    failedRuns: (before?.failedRuns ?? 0) + failed,
  };
}

import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import { EventLog, type EventFilter, type EventRow, type EventStatus } from '../event-log/event-log.js';
import { searchClauses } from '../event-log/event-log-sql.js';
import { OUTCOMES, WAITING } from '../event-log/status.js';
import { Clock } from '../runtime/clock.js';
import { mergeScans, type Merged, type Scan } from './merge-scans.js';
import { comparePositions, type Position } from './position.js';

export type AdminFilter = Omit<EventFilter, 'limit' | 'beforeId'>;

export interface EventPage {
  readonly rows: readonly EventRow[];
  readonly next: Position | null;
  readonly isPartial: boolean;
}

/** An event by its place alone. */
export interface EventPlace extends Position {
  readonly generation: number;
}

// SQLite's driver answers on the event loop: a step of these takes some 5 ms of it, and then others have their turn.
const STEP_ROWS = 2_500;
// 50,000 rows a request and list. What is not found by then is asked for again from where this one stopped.
const STEPS_MAX = 20;

/**
 * Finds events, newest received first, page by page. Filters with an index of their own go by it; others look at the
 * list in steps, and a request ends after so many, told as partial. The SQL is portable.
 */
@Injectable()
export class EventSearch {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly clock: Clock,
  ) {}

  async page(filter: AdminFilter, after: Position | null, limit: number): Promise<EventPage> {
    const { items, next, isPartial } = await this.places(filter, after, limit);
    const ids = items.map(({ id }) => id);
    const rows = ids.length === 0 ? [] : await this.rows(ids);
    return { rows, next, isPartial };
  }

  /** The same without the rows: for those who only need to know which. */
  async places(filter: AdminFilter, after: Position | null, limit: number): Promise<Merged<EventPlace>> {
    if (isSelective(filter)) return mergeScans([await this.selected(filter, after, limit)], limit);
    const statuses = filter.statuses ?? (filter.errorGroup === undefined ? [null] : [...WAITING, ...OUTCOMES]);
    const scans: Scan<EventPlace>[] = [];
    for (const status of new Set(statuses))
      scans.push(await this.scan({ ...filter, statuses: undefined }, status, after, limit));
    return mergeScans(scans, limit);
  }

  private async rows(ids: readonly number[]): Promise<EventRow[]> {
    const rows = await this.unitOfWork.read((tx) => this.eventLog.search(tx, { ids, limit: ids.length }));
    return [...rows].sort(comparePositions);
  }

  /** Few rows in all: by their own index, whatever the database thinks of the order's (hence the sum). */
  private async selected(filter: AdminFilter, after: Position | null, limit: number): Promise<Scan<EventPlace>> {
    const { sql, values } = searchClauses({ ...filter, limit });
    const place = afterClause(after);
    const where = [...sql, ...place.sql].join(' AND ');
    const items = await this.unitOfWork.read((tx) =>
      query(tx, `WHERE ${where} ORDER BY (received_at + 0) DESC, id DESC LIMIT ?`, [
        ...[...values, ...place.values],
        limit + 1,
      ]),
    );
    return { items, reached: null };
  }

  private async scan(
    filter: AdminFilter,
    status: EventStatus | null,
    after: Position | null,
    limit: number,
  ): Promise<Scan<EventPlace>> {
    const listed = listClauses(filter, status);
    const rest = searchClauses({ ...withoutList(filter), limit });
    const found: EventPlace[] = [];
    let from = after;
    for (let steps = 0; steps < STEPS_MAX; steps += 1) {
      const edge = rest.sql.length === 0 ? null : await this.edge(listed, from);
      found.push(...(await this.step([listed, rest, afterClause(from), upToClause(edge)], limit + 1 - found.length)));
      if (found.length > limit) return { items: found, reached: null };
      if (edge === null) return { items: found, reached: null };
      from = edge;
      await this.clock.nextTurn();
    }
    return { items: found, reached: from };
  }

  /** The last place of a step; null when the rest of the list is shorter than one. */
  private async edge(listed: Clauses, from: Position | null): Promise<Position | null> {
    const place = afterClause(from);
    const where = whereOf([listed, place]);
    const sql = `${where} ORDER BY received_at DESC, id DESC LIMIT 1 OFFSET ${STEP_ROWS - 1}`;
    const [row] = await this.unitOfWork.read(({ manager }) =>
      manager.query<{ id: number; received_at: number }[]>(`SELECT id, received_at FROM event_log ${sql}`, [
        ...[...listed.values, ...place.values],
      ]),
    );
    return row ? { receivedAt: row.received_at, id: row.id } : null;
  }

  private step(clauses: readonly Clauses[], limit: number): Promise<EventPlace[]> {
    const sql = `${whereOf(clauses)} ORDER BY received_at DESC, id DESC LIMIT ?`;
    return this.unitOfWork.read((tx) => query(tx, sql, [...clauses.flatMap(({ values }) => values), limit]));
  }
}

interface Clauses {
  readonly sql: readonly string[];
  readonly values: readonly unknown[];
}

function isSelective({ entityKey, msgId, eventKeys, wecomIds, ids }: AdminFilter): boolean {
  return entityKey !== undefined || msgId !== undefined || [eventKeys, wecomIds, ids].some((list) => list?.length);
}

/** What one index holds in the order of the list. */
function listClauses(filter: AdminFilter, status: EventStatus | null): Clauses {
  const { errorGroup, receivedFrom, receivedTo } = filter;
  return searchClauses({
    ...{ errorGroup, receivedFrom, receivedTo, limit: 0 },
    statuses: status === null ? undefined : [status],
  });
}

function withoutList(filter: AdminFilter): AdminFilter {
  return { ...filter, errorGroup: undefined, receivedFrom: undefined, receivedTo: undefined };
}

// Written so that the first part is a range of an index: neither database makes one of a comparison of tuples.
function afterClause(after: Position | null): Clauses {
  if (!after) return { sql: [], values: [] };
  const { receivedAt, id } = after;
  return { sql: ['received_at <= ? AND (received_at < ? OR id < ?)'], values: [receivedAt, receivedAt, id] };
}

function upToClause(edge: Position | null): Clauses {
  if (!edge) return { sql: [], values: [] };
  const { receivedAt, id } = edge;
  return { sql: ['received_at >= ? AND (received_at > ? OR id >= ?)'], values: [receivedAt, receivedAt, id] };
}

function whereOf(clauses: readonly Clauses[]): string {
  const sql = clauses.flatMap((clause) => clause.sql);
  return sql.length > 0 ? `WHERE ${sql.join(' AND ')}` : '';
}

async function query(tx: Tx, rest: string, values: readonly unknown[]): Promise<EventPlace[]> {
  const rows: { id: number; received_at: number; generation: number }[] = await tx.manager.query(
    `SELECT id, received_at, generation FROM event_log ${rest}`,
    [...values],
  );
  return rows.map(({ id, received_at: receivedAt, generation }) => ({ id, receivedAt, generation }));
}

import { Injectable } from '@nestjs/common';
import { places, tuples } from '../../database/sql-lists.js';
import type { Tx } from '../../database/unit-of-work.js';
import {
  EventLog,
  type EventFilter,
  type EventIdentity,
  type EventRow,
  type HistoryEntry,
  type InsertResult,
  type Line,
  type RowError,
  type RowState,
  type RowVersion,
} from '../event-log.js';
import { rowFrom, RUNNABLE_SQL, WAITING_SQL, type RawRow } from '../event-log-sql.js';
import * as statements from '../event-log-statements.js';
import type { EventStatus } from '../status.js';

// A row of a strict entity is first when no other row of the entity that waits has a smaller place in the line.
const FIRST_SQL = `(lane_seq IS NULL OR NOT EXISTS (
  SELECT 1 FROM event_log earlier
  WHERE earlier.entity_key = event_log.entity_key AND earlier.${WAITING_SQL} AND earlier.lane_seq < event_log.lane_seq))`;
// Due rows that one pick looks at, about 15 µs each. More only means that the next poll goes on.
const LOOKS_MAX = 2_000;
const LOOKED_AT_SQL = `id IN (
  SELECT id FROM event_log WHERE ${RUNNABLE_SQL} AND due_at <= ? ORDER BY due_at, id LIMIT ${LOOKS_MAX})`;

/** One writer at a time: what a transaction has read stands until it ends, so nothing here locks a row. */
@Injectable()
export class SqliteEventLog extends EventLog {
  constructor(private readonly instance: string) {
    super();
  }

  override insert(tx: Tx, rows: readonly (EventIdentity & RowState)[]): Promise<InsertResult> {
    return statements.insertRows(tx, rows);
  }

  override async find(tx: Tx, identities: readonly EventIdentity[]): Promise<EventRow[]> {
    if (identities.length === 0) return [];
    const rows: RawRow[] = await tx.manager.query(
      `SELECT * FROM event_log WHERE (corp_id, event_type, msg_id_or_hash) IN (VALUES ${tuples(identities.length, 3)})`,
      identities.flatMap((identity) => [identity.corpId, identity.eventType, identity.eventKey]),
    );
    return rows.map(rowFrom);
  }

  override async lines(tx: Tx, entityKeys: readonly string[]): Promise<Map<string, Line>> {
    if (entityKeys.length === 0) return new Map();
    const rows: { entity_key: string; waiting: number; lane_seq_max: number | null }[] = await tx.manager.query(
      `SELECT entity_key, COUNT(*) AS waiting, MAX(lane_seq) AS lane_seq_max FROM event_log
       WHERE ${WAITING_SQL} AND entity_key IN (${places(entityKeys)}) GROUP BY entity_key`,
      [...entityKeys],
    );
    return new Map(rows.map((row) => [row.entity_key, { waiting: row.waiting, laneSeqMax: row.lane_seq_max ?? 0 }]));
  }

  override async decide(tx: Tx, version: RowVersion, state: RowState): Promise<boolean> {
    const decided = await statements.decideRow(tx, version, state, FIRST_SQL);
    if (decided) await this.passTurn(tx, version.id, state.decidedAt);
    return decided;
  }

  override count(tx: Tx, version: RowVersion, runToken: string): Promise<boolean> {
    return statements.countRun(tx, version, runToken);
  }

  override async hasDue(tx: Tx, now: number): Promise<boolean> {
    const rows: unknown[] = await tx.manager.query(
      `SELECT 1 FROM event_log WHERE ${RUNNABLE_SQL} AND due_at <= ? LIMIT 1`,
      [now],
    );
    return rows.length > 0;
  }

  /**
   * A row that is due before its turn loses its time and gets it back from the outcome of the one before it. So each is
   * looked at once; otherwise every poll would look at every row of a long line behind a dead letter.
   */
  override async pick(tx: Tx, now: number, hiddenUntil: number, limit: number): Promise<EventRow[]> {
    await statements.changed(tx, `UPDATE event_log SET due_at = NULL WHERE ${LOOKED_AT_SQL} AND NOT ${FIRST_SQL}`, [
      now,
    ]);
    const rows: RawRow[] = await tx.manager.query(
      `SELECT * FROM event_log WHERE ${LOOKED_AT_SQL} AND ${FIRST_SQL} ORDER BY due_at, id LIMIT ?`,
      [now, limit],
    );
    return statements.hideRows(tx, rows, hiddenUntil);
  }

  override async pickNext(tx: Tx, entityKey: string, now: number, hiddenUntil: number): Promise<EventRow | null> {
    const rows: RawRow[] = await tx.manager.query(
      `SELECT * FROM event_log WHERE entity_key = ? AND lane_seq IS NOT NULL AND ${WAITING_SQL} ORDER BY lane_seq LIMIT 1`,
      [entityKey],
    );
    const first = rows.filter((row) => row.status !== 'DEAD' && (row.due_at ?? 0) <= now);
    return (await statements.hideRows(tx, first, hiddenUntil))[0] ?? null;
  }

  override async postpone(tx: Tx, version: RowVersion, dueAt: number): Promise<void> {
    await statements.moveDueAt(tx, version, dueAt);
  }

  override async sleepOn(tx: Tx, row: EventRow, dueAt: number): Promise<void> {
    await statements.moveDueAtFrom(tx, row, dueAt);
  }

  override wake(tx: Tx, error: RowError, now: number, limit: number): Promise<number> {
    return statements.wakeRows(tx, error, now, limit);
  }

  override redrive(tx: Tx, id: number, generation: number, now: number): Promise<boolean> {
    return statements.redriveRow(tx, id, generation, now);
  }

  override async discard(tx: Tx, id: number, generation: number, now: number): Promise<boolean> {
    const discarded = await statements.discardRow(tx, id, generation, now);
    if (discarded) await this.passTurn(tx, id, now);
    return discarded;
  }

  override record(tx: Tx, entries: readonly HistoryEntry[]): Promise<void> {
    return statements.recordHistory(tx, entries, this.instance);
  }

  override byId(tx: Tx, id: number): Promise<EventRow | null> {
    return statements.readRow(tx, id);
  }

  override history(tx: Tx, eventKey: string): Promise<(HistoryEntry & { instance: string })[]> {
    return statements.readHistory(tx, eventKey);
  }

  override search(tx: Tx, filter: EventFilter): Promise<EventRow[]> {
    return statements.searchRows(tx, filter);
  }

  override counts(tx: Tx): Promise<ReadonlyMap<EventStatus, number>> {
    return statements.countByStatus(tx);
  }

  /**
   * In the transaction of a decision: the row that is now first of that line is due, unless it has a time of its own. A
   * wake-up that commits with its cause cannot be lost, whoever dies after it.
   */
  private async passTurn(tx: Tx, endedId: number, now: number): Promise<void> {
    await statements.changed(
      tx,
      `UPDATE event_log SET due_at = ? WHERE due_at IS NULL AND ${RUNNABLE_SQL} AND id = (
         SELECT next.id FROM event_log ended JOIN event_log next ON next.entity_key = ended.entity_key
         WHERE ended.id = ? AND next.${WAITING_SQL} AND next.lane_seq IS NOT NULL ORDER BY next.lane_seq LIMIT 1)`,
      [now, endedId],
    );
  }
}

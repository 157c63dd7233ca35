import { changedRows } from '../database/changed-rows.js';
import { driverErrorKind } from '../database/database-errors.js';
import { places, tuples } from '../database/sql-lists.js';
import type { Tx } from '../database/unit-of-work.js';
import {
  HISTORY_MAX,
  type EventFilter,
  type EventIdentity,
  type EventRow,
  type HistoryEntry,
  type InsertResult,
  type RowError,
  type RowState,
  type RowVersion,
} from './event-log.js';
import { errorGroupOf } from './error-group.js';
import { COLUMNS, rowFrom, RUNNABLE_SQL, searchClauses, WAITING_SQL, type RawRow } from './event-log-sql.js';
import type { EventStatus } from './status.js';
import { insertWecomIds } from './wecom-id-rows.js';

/**
 * Statements that are the same in every database. The SQL is written out: it is what wall 3 consists of, and the query
 * builder costs more than the statements.
 */
export async function insertRows(tx: Tx, rows: readonly (EventIdentity & RowState)[]): Promise<InsertResult> {
  if (rows.length === 0) return { kind: 'inserted' };
  const values = rows.flatMap((row) => [
    ...[row.corpId, row.eventType, row.eventKey, row.app, row.changeType, row.entityKey, row.msgId, row.createTime],
    ...[row.status, 0, row.attempt, row.laneSeq, row.dueAt, row.plaintext, row.receivedAt, row.facts],
    ...[row.errorCode, row.errorMessage, errorGroupOf(row.errorCode, row.errorMessage), row.decidedAt],
  ]);
  try {
    await tx.manager.query(
      `INSERT INTO event_log (${COLUMNS.join(', ')}) VALUES ${tuples(rows.length, COLUMNS.length)}`,
      values,
    );
  } catch (error) {
    // Touching the row after this error in the same transaction deadlocks on InnoDB (measured: 87 %): roll back first.
    if (driverErrorKind(error) === 'duplicate-key') return { kind: 'duplicate' };
    throw error;
  }
  await insertWecomIds(tx, rows);
  return { kind: 'inserted' };
}

/** `isTurn` says in the database's own way that no earlier row of the line waits; `more` are its values. */
export function decideRow(
  tx: Tx,
  version: RowVersion,
  state: RowState,
  isTurn: string,
  more: readonly unknown[] = [],
): Promise<boolean> {
  return changed(
    tx,
    `UPDATE event_log SET status = ?, attempt = ?, lane_seq = ?, due_at = ?, error_code = ?, error_message = ?,
       error_group = ?, decided_at = ?
     WHERE id = ? AND generation = ? AND attempt = ? AND ${RUNNABLE_SQL} AND ${isTurn}`,
    [
      ...[state.status, state.attempt, state.laneSeq, state.dueAt, state.errorCode, state.errorMessage],
      errorGroupOf(state.errorCode, state.errorMessage),
      ...[state.decidedAt, version.id, version.generation, version.attempt, ...more],
    ],
  );
}

export async function countRun(tx: Tx, version: RowVersion, runToken: string): Promise<boolean> {
  const counted = await changed(
    tx,
    `UPDATE event_log SET attempt = attempt + 1, run_token = ?
     WHERE id = ? AND generation = ? AND attempt = ? AND ${RUNNABLE_SQL}`,
    [runToken, version.id, version.generation, version.attempt],
  );
  if (counted) return true;
  const row = await readRow(tx, version.id);
  return row?.runToken === runToken && row.generation === version.generation && row.attempt === version.attempt + 1;
}

export function moveDueAt(tx: Tx, version: RowVersion, dueAt: number): Promise<boolean> {
  return changed(
    tx,
    `UPDATE event_log SET due_at = ? WHERE id = ? AND generation = ? AND attempt = ? AND ${RUNNABLE_SQL}`,
    [dueAt, version.id, version.generation, version.attempt],
  );
}

export function moveDueAtFrom(
  tx: Tx,
  { id, generation, attempt, dueAt: from }: Pick<EventRow, 'id' | 'generation' | 'attempt' | 'dueAt'>,
  dueAt: number,
): Promise<boolean> {
  return changed(
    tx,
    `UPDATE event_log SET due_at = ?
     WHERE id = ? AND generation = ? AND attempt = ? AND due_at = ? AND ${RUNNABLE_SQL}`,
    [dueAt, id, generation, attempt, from],
  );
}

/** In two steps: MySQL refuses a subquery with a limit on the table that is updated. */
export async function wakeRows(tx: Tx, { code, message }: RowError, now: number, limit: number): Promise<number> {
  const asleep = "error_group = ? AND status = 'RETRY' AND due_at > ?";
  const group = errorGroupOf(code, message);
  const rows: { id: number }[] = await tx.manager.query(`SELECT id FROM event_log WHERE ${asleep} LIMIT ?`, [
    ...[group, now, limit],
  ]);
  if (rows.length === 0) return 0;
  const ids = rows.map(({ id }) => id).sort((a, b) => a - b);
  const sql = `UPDATE event_log SET due_at = ? WHERE id IN (${places(ids)}) AND ${asleep}`;
  await changedRows(tx, sql, [now, ...ids, group, now]);
  return rows.length;
}

export async function hideRows(tx: Tx, rows: readonly RawRow[], hiddenUntil: number): Promise<EventRow[]> {
  if (rows.length === 0) return [];
  await tx.manager.query(`UPDATE event_log SET due_at = ? WHERE id IN (${places(rows)})`, [
    hiddenUntil,
    ...rows.map((row) => row.id),
  ]);
  return rows.map((row) => rowFrom({ ...row, due_at: hiddenUntil }));
}

export function redriveRow(tx: Tx, id: number, generation: number, now: number): Promise<boolean> {
  return changed(
    tx,
    `UPDATE event_log SET status = 'REDRIVEN', generation = generation + 1, attempt = 0, due_at = ?, decided_at = ?
     WHERE id = ? AND generation = ? AND status = 'DEAD'`,
    [now, now, id, generation],
  );
}

export function discardRow(tx: Tx, id: number, generation: number, now: number): Promise<boolean> {
  return changed(
    tx,
    `UPDATE event_log SET status = 'DISCARDED', due_at = NULL, decided_at = ?
     WHERE id = ? AND generation = ? AND ${WAITING_SQL}`,
    [now, id, generation],
  );
}

export async function recordHistory(tx: Tx, entries: readonly HistoryEntry[], instance: string): Promise<void> {
  if (entries.length === 0) return;
  await tx.manager.query(
    `INSERT INTO event_history (event_key, at, actor, instance, decision, reason, generation, attempt)
     VALUES ${tuples(entries.length, 8)}`,
    entries.flatMap((entry) => [
      ...[entry.eventKey, entry.at, entry.actor, instance, entry.decision, entry.reason],
      ...[entry.generation, entry.attempt],
    ]),
  );
}

export async function readRow(tx: Tx, id: number): Promise<EventRow | null> {
  const rows: RawRow[] = await tx.manager.query('SELECT * FROM event_log WHERE id = ?', [id]);
  return rows[0] ? rowFrom(rows[0]) : null;
}

export async function readHistory(tx: Tx, eventKey: string): Promise<(HistoryEntry & { instance: string })[]> {
  const rows: (HistoryEntry & { event_key: string; instance: string })[] = await tx.manager.query(
    'SELECT * FROM event_history WHERE event_key = ? ORDER BY id LIMIT ?',
    [eventKey, HISTORY_MAX],
  );
  return rows.map(({ event_key, at, actor, instance, decision, reason, generation, attempt }) => ({
    ...{ eventKey: event_key, at, actor, instance, decision, reason, generation, attempt },
  }));
}

export async function searchRows(tx: Tx, filter: EventFilter): Promise<EventRow[]> {
  const { sql, values } = searchClauses(filter);
  const where = sql.length > 0 ? `WHERE ${sql.join(' AND ')}` : '';
  const rows: RawRow[] = await tx.manager.query(`SELECT * FROM event_log ${where} ORDER BY id DESC LIMIT ?`, [
    ...values,
    filter.limit,
  ]);
  return rows.map(rowFrom);
}

export async function countByStatus(tx: Tx): Promise<ReadonlyMap<EventStatus, number>> {
  const rows: { status: EventStatus; total: number }[] = await tx.manager.query(
    'SELECT status, COUNT(*) AS total FROM event_log GROUP BY status',
  );
  return new Map(rows.map((row) => [row.status, row.total]));
}

export async function changed(tx: Tx, sql: string, values: readonly unknown[]): Promise<boolean> {
  return (await changedRows(tx, sql, values)) > 0;
}

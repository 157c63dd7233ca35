import { Injectable } from '@nestjs/common';
import { changedRows } from '../database/changed-rows.js';
import { driverErrorKind } from '../database/database-errors.js';
import { places, tuples } from '../database/sql-lists.js';
import type { Tx } from '../database/unit-of-work.js';
import {
  EventLog,
  HISTORY_MAX,
  type EventFilter,
  type EventIdentity,
  type EventRow,
  type HistoryEntry,
  type InsertResult,
  type Line,
  type RowState,
  type RowVersion,
} from './event-log.js';
import { errorGroupOf } from './error-group.js';
import { COLUMNS, rowFrom, searchClauses, type RawRow } from './event-log-sql.js';
import type { EventStatus } from './status.js';
import { insertWecomIds } from './wecom-id-rows.js';

const RUNNABLE_SQL = "status IN ('RETRY', 'PARKED', 'REDRIVEN')";
const WAITING_SQL = "status IN ('RETRY', 'PARKED', 'REDRIVEN', 'DEAD')";
// A row of a strict entity is first when no other row of the entity that waits has a smaller place in the line.
const FIRST_SQL = `(lane_seq IS NULL OR NOT EXISTS (
  SELECT 1 FROM event_log earlier
  WHERE earlier.entity_key = event_log.entity_key AND earlier.${WAITING_SQL} AND earlier.lane_seq < event_log.lane_seq))`;
// Due rows that one pick looks at, about 15 µs each. More only means that the next poll goes on.
const LOOKS_MAX = 2_000;
const LOOKED_AT_SQL = `id IN (
  SELECT id FROM event_log WHERE ${RUNNABLE_SQL} AND due_at <= ? ORDER BY due_at, id LIMIT ${LOOKS_MAX})`;

/** The SQL is written out: it is what wall 3 consists of, and the query builder costs more than the statements. */
@Injectable()
export class TypeormEventLog extends EventLog {
  constructor(private readonly instance: string) {
    super();
  }

  override async insert(tx: Tx, rows: readonly (EventIdentity & RowState)[]): Promise<InsertResult> {
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
      await insertWecomIds(tx, rows);
      return { kind: 'inserted' };
    } catch (error) {
      // Touching the row after this error in the same transaction deadlocks on InnoDB (measured: 87 %): roll back first.
      if (driverErrorKind(error) === 'duplicate-key') return { kind: 'duplicate' };
      throw error;
    }
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
    const decided = await changed(
      tx,
      `UPDATE event_log SET status = ?, attempt = ?, lane_seq = ?, due_at = ?, error_code = ?, error_message = ?,
         error_group = ?, decided_at = ?
       WHERE id = ? AND generation = ? AND attempt = ? AND ${RUNNABLE_SQL} AND ${FIRST_SQL}`,
      [
        ...[
          state.status,
          state.attempt,
          state.laneSeq,
          state.dueAt,
          state.errorCode,
          state.errorMessage,
          errorGroupOf(state.errorCode, state.errorMessage),
          state.decidedAt,
        ],
        ...[version.id, version.generation, version.attempt],
      ],
    );
    if (decided) await this.passTurn(tx, version.id, state.decidedAt);
    return decided;
  }

  override async count(tx: Tx, version: RowVersion, runToken: string): Promise<boolean> {
    const counted = await changed(
      tx,
      `UPDATE event_log SET attempt = attempt + 1, run_token = ?
       WHERE id = ? AND generation = ? AND attempt = ? AND ${RUNNABLE_SQL}`,
      [runToken, version.id, version.generation, version.attempt],
    );
    if (counted) return true;
    const row = await this.byId(tx, version.id);
    return row?.runToken === runToken && row.generation === version.generation && row.attempt === version.attempt + 1;
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
    await changed(tx, `UPDATE event_log SET due_at = NULL WHERE ${LOOKED_AT_SQL} AND NOT ${FIRST_SQL}`, [now]);
    const rows: RawRow[] = await tx.manager.query(
      `SELECT * FROM event_log WHERE ${LOOKED_AT_SQL} AND ${FIRST_SQL} ORDER BY due_at, id LIMIT ?`,
      [now, limit],
    );
    return this.hide(tx, rows, hiddenUntil);
  }

  override async pickNext(tx: Tx, entityKey: string, now: number, hiddenUntil: number): Promise<EventRow | null> {
    const rows: RawRow[] = await tx.manager.query(
      `SELECT * FROM event_log WHERE entity_key = ? AND lane_seq IS NOT NULL AND ${WAITING_SQL} ORDER BY lane_seq LIMIT 1`,
      [entityKey],
    );
    const first = rows.filter((row) => row.status !== 'DEAD' && (row.due_at ?? 0) <= now);
    return (await this.hide(tx, first, hiddenUntil))[0] ?? null;
  }

  override async postpone(tx: Tx, version: RowVersion, dueAt: number): Promise<void> {
    await changed(
      tx,
      `UPDATE event_log SET due_at = ? WHERE id = ? AND generation = ? AND attempt = ? AND ${RUNNABLE_SQL}`,
      [dueAt, version.id, version.generation, version.attempt],
    );
  }

  override redrive(tx: Tx, id: number, generation: number, now: number): Promise<boolean> {
    return changed(
      tx,
      `UPDATE event_log SET status = 'REDRIVEN', generation = generation + 1, attempt = 0, due_at = ?, decided_at = ?
       WHERE id = ? AND generation = ? AND status = 'DEAD'`,
      [now, now, id, generation],
    );
  }

  override async discard(tx: Tx, id: number, generation: number, now: number): Promise<boolean> {
    const discarded = await changed(
      tx,
      `UPDATE event_log SET status = 'DISCARDED', due_at = NULL, decided_at = ?
       WHERE id = ? AND generation = ? AND ${WAITING_SQL}`,
      [now, id, generation],
    );
    if (discarded) await this.passTurn(tx, id, now);
    return discarded;
  }

  override async record(tx: Tx, entries: readonly HistoryEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await tx.manager.query(
      `INSERT INTO event_history (event_key, at, actor, instance, decision, reason, generation, attempt)
       VALUES ${tuples(entries.length, 8)}`,
      entries.flatMap((entry) => [
        ...[entry.eventKey, entry.at, entry.actor, this.instance, entry.decision, entry.reason],
        ...[entry.generation, entry.attempt],
      ]),
    );
  }

  override async byId(tx: Tx, id: number): Promise<EventRow | null> {
    const rows: RawRow[] = await tx.manager.query('SELECT * FROM event_log WHERE id = ?', [id]);
    return rows[0] ? rowFrom(rows[0]) : null;
  }

  override async history(tx: Tx, eventKey: string): Promise<(HistoryEntry & { instance: string })[]> {
    const rows: (HistoryEntry & { event_key: string; instance: string })[] = await tx.manager.query(
      'SELECT * FROM event_history WHERE event_key = ? ORDER BY id LIMIT ?',
      [eventKey, HISTORY_MAX],
    );
    return rows.map(({ event_key, at, actor, instance, decision, reason, generation, attempt }) => ({
      ...{ eventKey: event_key, at, actor, instance, decision, reason, generation, attempt },
    }));
  }

  override async search(tx: Tx, filter: EventFilter): Promise<EventRow[]> {
    const { sql, values } = searchClauses(filter);
    const where = sql.length > 0 ? `WHERE ${sql.join(' AND ')}` : '';
    const rows: RawRow[] = await tx.manager.query(`SELECT * FROM event_log ${where} ORDER BY id DESC LIMIT ?`, [
      ...values,
      filter.limit,
    ]);
    return rows.map(rowFrom);
  }

  override async counts(tx: Tx): Promise<ReadonlyMap<EventStatus, number>> {
    const rows: { status: EventStatus; total: number }[] = await tx.manager.query(
      'SELECT status, COUNT(*) AS total FROM event_log GROUP BY status',
    );
    return new Map(rows.map((row) => [row.status, row.total]));
  }

  /**
   * In the transaction of a decision: the row that is now first of that line is due, unless it has a time of its own. A
   * wake-up that commits with its cause cannot be lost, whoever dies after it.
   */
  private async passTurn(tx: Tx, endedId: number, now: number): Promise<void> {
    await changed(
      tx,
      `UPDATE event_log SET due_at = ? WHERE due_at IS NULL AND ${RUNNABLE_SQL} AND id = (
         SELECT next.id FROM event_log ended JOIN event_log next ON next.entity_key = ended.entity_key
         WHERE ended.id = ? AND next.${WAITING_SQL} AND next.lane_seq IS NOT NULL ORDER BY next.lane_seq LIMIT 1)`,
      [now, endedId],
    );
  }

  private async hide(tx: Tx, rows: readonly RawRow[], hiddenUntil: number): Promise<EventRow[]> {
    if (rows.length === 0) return [];
    await tx.manager.query(`UPDATE event_log SET due_at = ? WHERE id IN (${places(rows)})`, [
      hiddenUntil,
      ...rows.map((row) => row.id),
    ]);
    return rows.map((row) => rowFrom({ ...row, due_at: hiddenUntil }));
  }
}

async function changed(tx: Tx, sql: string, values: readonly unknown[]): Promise<boolean> {
  return (await changedRows(tx, sql, values)) > 0;
}

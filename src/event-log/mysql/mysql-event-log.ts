import { Injectable } from '@nestjs/common';
import { fittingKey } from '../../database/fitting-key.js';
import { places } from '../../database/sql-lists.js';
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
import { rowFrom, RUNNABLE_SQL, type RawRow } from '../event-log-sql.js';
import * as statements from '../event-log-statements.js';
import { isOutcome, type EventStatus } from '../status.js';

// `waiting_key` is the entity key of a row that waits and NULL for all others: the line of an entity is a short range of
// its index, however many rows with an outcome there are.
// MySQL refuses a subquery on the table that is updated, but not one that it has to write down first: hence the LIMIT.
// What it reads there it does not lock; under the lock of the entity row nobody else moves a row of this line.
const TURN_SQL = `NOT EXISTS (SELECT 1 FROM (
  SELECT earlier.id FROM event_log own
  JOIN event_log earlier ON earlier.waiting_key = own.entity_key AND earlier.lane_seq < own.lane_seq
  WHERE own.id = ? LIMIT 1) AS one_before)`;
// Indexes are named where another plan would lock rows that it only passes: those of other workers, in another order.
const BY_DUE_AT = 'FORCE INDEX (ix_event_log_due_at)';
const BY_LINE = 'FORCE INDEX (ix_event_log_waiting_key_lane_seq)';
const BY_KEY = 'FORCE INDEX (uq_event_log_corp_id_event_type_msg_id_or_hash)';
// Due rows that one pick looks at, and how many of them it locks at a time: they are hidden from other pickers meanwhile.
const LOOKS_MAX = 1_000;
const LOOKS_AT_ONCE = 200;

type DueRow = Pick<RawRow, 'id' | 'entity_key' | 'lane_seq'>;

/** For MySQL and MariaDB, at READ COMMITTED: a plain SELECT sees its own transaction and what is committed by then. */
@Injectable()
export class MysqlEventLog extends EventLog {
  constructor(private readonly instance: string) {
    super();
  }

  override insert(tx: Tx, rows: readonly (EventIdentity & RowState)[]): Promise<InsertResult> {
    return statements.insertRows(tx, rows.map(fitting));
  }

  override async find(tx: Tx, identities: readonly EventIdentity[]): Promise<EventRow[]> {
    if (identities.length === 0) return [];
    const one = '(corp_id = ? AND event_type = ? AND msg_id_or_hash = ?)';
    const rows: RawRow[] = await tx.manager.query(
      `SELECT * FROM event_log ${BY_KEY} WHERE ${identities.map(() => one).join(' OR ')} FOR UPDATE`,
      identities.map(fitting).flatMap(({ corpId, eventType, eventKey }) => [corpId, eventType, eventKey]),
    );
    return rows.map(rowFrom);
  }

  override async lines(tx: Tx, entityKeys: readonly string[]): Promise<Map<string, Line>> {
    if (entityKeys.length === 0) return new Map();
    const rows: { waiting_key: string; waiting: number; lane_seq_max: number | null }[] = await tx.manager.query(
      `SELECT waiting_key, COUNT(*) AS waiting, MAX(lane_seq) AS lane_seq_max FROM event_log ${BY_LINE}
       WHERE waiting_key IN (${places(entityKeys)}) GROUP BY waiting_key`,
      [...entityKeys],
    );
    return new Map(rows.map((row) => [row.waiting_key, { waiting: row.waiting, laneSeqMax: row.lane_seq_max ?? 0 }]));
  }

  override async decide(tx: Tx, version: RowVersion, state: RowState): Promise<boolean> {
    const decided = await statements.decideRow(tx, version, state, TURN_SQL, [version.id]);
    if (decided && isOutcome(state.status)) await this.passTurn(tx, version.id, state.decidedAt);
    return decided;
  }

  override count(tx: Tx, version: RowVersion, runToken: string): Promise<boolean> {
    return statements.countRun(tx, version, runToken);
  }

  override async hasDue(tx: Tx, now: number): Promise<boolean> {
    const rows: unknown[] = await tx.manager.query(
      `SELECT 1 FROM event_log ${BY_DUE_AT} WHERE due_at <= ? AND ${RUNNABLE_SQL} LIMIT 1`,
      [now],
    );
    return rows.length > 0;
  }

  /**
   * A row that is due before its turn loses its time and gets it back from the outcome of the one before it. It is locked
   * first and looked at then: the one before it may get its outcome between a look and the loss, find the time still
   * there and pass no turn; nobody would ever wake the row.
   */
  override async pick(tx: Tx, now: number, hiddenUntil: number, limit: number): Promise<EventRow[]> {
    const picked: EventRow[] = [];
    for (let looks = 0; looks < LOOKS_MAX && picked.length < limit; looks += LOOKS_AT_ONCE) {
      const due = await this.lockDue(tx, now);
      const { first, behind } = await this.turnsOf(tx, due);
      await this.forgetTimes(tx, behind);
      const taken = await this.rowsInOrder(tx, first.slice(0, limit - picked.length));
      picked.push(...(await statements.hideRows(tx, taken, hiddenUntil)));
      if (due.length < LOOKS_AT_ONCE) break;
    }
    return picked;
  }

  /** The first of a line stays the first until it ends, so it may be found without a lock; a locked one is not passed over. */
  override async pickNext(tx: Tx, entityKey: string, now: number, hiddenUntil: number): Promise<EventRow | null> {
    const firsts: { id: number }[] = await tx.manager.query(
      `SELECT id FROM event_log ${BY_LINE} WHERE waiting_key = ? AND lane_seq IS NOT NULL ORDER BY lane_seq LIMIT 1`,
      [entityKey],
    );
    if (!firsts[0]) return null;
    const rows: RawRow[] = await tx.manager.query(
      `SELECT * FROM event_log WHERE id = ? AND ${RUNNABLE_SQL} AND COALESCE(due_at, 0) <= ? FOR UPDATE SKIP LOCKED`,
      [firsts[0].id, now],
    );
    return (await statements.hideRows(tx, rows, hiddenUntil))[0] ?? null;
  }

  /** A row that is locked is being decided: what its transaction says about the time is newer. */
  override async postpone(tx: Tx, version: RowVersion, dueAt: number): Promise<void> {
    const free: unknown[] = await tx.manager.query('SELECT id FROM event_log WHERE id = ? FOR UPDATE SKIP LOCKED', [
      version.id,
    ]);
    if (free.length > 0) await statements.moveDueAt(tx, version, dueAt);
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

  private lockDue(tx: Tx, now: number): Promise<DueRow[]> {
    return tx.manager.query(
      `SELECT id, entity_key, lane_seq FROM event_log ${BY_DUE_AT} WHERE due_at <= ? AND ${RUNNABLE_SQL}
       ORDER BY due_at, id LIMIT ${LOOKS_AT_ONCE} FOR UPDATE SKIP LOCKED`,
      [now],
    );
  }

  private async turnsOf(tx: Tx, due: readonly DueRow[]): Promise<{ first: number[]; behind: number[] }> {
    const keys = new Set(due.flatMap(({ entity_key, lane_seq }) => (lane_seq === null ? [] : [entity_key])));
    const firsts = await this.firstsOf(tx, [...keys]);
    const isBehind = ({ entity_key, lane_seq }: DueRow): boolean =>
      lane_seq !== null && lane_seq > (firsts.get(entity_key) ?? lane_seq);
    const ids = (rows: readonly DueRow[]): number[] => rows.map(({ id }) => id);
    return { first: ids(due.filter((row) => !isBehind(row))), behind: ids(due.filter(isBehind)) };
  }

  /**
   * The first place of each line, by the order of the index and in a part of its own: for a key out of a joined row MySQL
   * reads and sorts the whole line, once a row, and grouped by key MariaDB reads all of it.
   */
  private async firstsOf(tx: Tx, keys: readonly (string | null)[]): Promise<ReadonlyMap<string | null, number>> {
    if (keys.length === 0) return new Map();
    const one = `(SELECT waiting_key, lane_seq FROM event_log ${BY_LINE}
      WHERE waiting_key = ? AND lane_seq IS NOT NULL ORDER BY lane_seq LIMIT 1)`;
    const rows: { waiting_key: string; lane_seq: number }[] = await tx.manager.query(
      keys.map(() => one).join(' UNION ALL '),
      [...keys],
    );
    return new Map(rows.map(({ waiting_key, lane_seq }) => [waiting_key, lane_seq]));
  }

  private async forgetTimes(tx: Tx, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    await tx.manager.query(`UPDATE event_log SET due_at = NULL WHERE id IN (${places(ids)})`, [...ids]);
  }

  private async rowsInOrder(tx: Tx, ids: readonly number[]): Promise<RawRow[]> {
    if (ids.length === 0) return [];
    return tx.manager.query(`SELECT * FROM event_log WHERE id IN (${places(ids)}) ORDER BY due_at, id`, [...ids]);
  }

  /**
   * In the transaction of an outcome: the row that is now first of that line is due, unless it has a time of its own. A
   * wake-up that commits with its cause cannot be lost, whoever dies after it.
   */
  private async passTurn(tx: Tx, endedId: number, now: number): Promise<void> {
    const rows: Pick<RawRow, 'id' | 'status' | 'due_at'>[] = await tx.manager.query(
      `SELECT next.id, next.status, next.due_at
       FROM event_log ended JOIN event_log next ${BY_LINE} ON next.waiting_key = ended.entity_key
       WHERE ended.id = ? AND next.lane_seq IS NOT NULL ORDER BY next.lane_seq LIMIT 1 FOR UPDATE`,
      [endedId],
    );
    const [next] = rows;
    if (!next || next.status === 'DEAD' || next.due_at !== null) return;
    await tx.manager.query('UPDATE event_log SET due_at = ? WHERE id = ?', [now, next.id]);
  }
}

/** Nothing that WeCom or a handler sends may be too long to be written down: its event would come back for ever. */
function fitting<Row extends EventIdentity>(row: Row): Row {
  return {
    ...row,
    corpId: fittingKey(row.corpId, 64),
    eventType: fittingKey(row.eventType, 128),
    eventKey: fittingKey(row.eventKey, 64),
    app: fittingKey(row.app, 64),
    changeType: row.changeType && fittingKey(row.changeType, 128),
    entityKey: row.entityKey && fittingKey(row.entityKey, 512),
    msgId: row.msgId && fittingKey(row.msgId, 128),
  };
}

import { Injectable } from '@nestjs/common';
import { changedRows } from '../database/changed-rows.js';
import { places } from '../database/sql-lists.js';
import type { Tx } from '../database/unit-of-work.js';

/** In the order in which they are purged. */
export const AGED_TABLES = ['event_log', 'event_history', 'entity_change', 'audit'] as const;
export type AgedTable = (typeof AGED_TABLES)[number];

export interface AgedPage {
  /** Ascending, so that transactions that delete side by side lock in one order. */
  readonly ids: readonly number[];
  /** Where the next page begins; null when this is the last one. */
  readonly next: number | null;
}

interface AgedIds {
  readonly id: number;
  readonly at: number;
}

// Written as in the index of outcomes: SQLite uses a partial index only where it finds the same list.
const OUTCOME_SQL = "status IN ('APPLIED', 'STALE', 'REJECTED', 'EXPIRED', 'DISCARDED')";
const WAITING_SQL = "status IN ('RETRY', 'PARKED', 'REDRIVEN', 'DEAD')";
// Why an event waits is asked for as long as it waits, however old the answer is.
const NOT_OF_WAITING_SQL = `NOT EXISTS (
  SELECT 1 FROM event_log WHERE event_log.msg_id_or_hash = event_history.event_key AND event_log.${WAITING_SQL})`;

/**
 * Rows that are old enough to go. Entity rows and their tombstones are none: without them a late event would begin an
 * object anew. The SQL is the same on every database: first which rows, without a lock, then those by their ids.
 */
@Injectable()
export class AgedRows {
  /** Rows older than `olderThan` (milliseconds since 1970), from `from` on (0 at first), at most `limit`. */
  async find(tx: Tx, table: AgedTable, olderThan: number, from: number, limit: number): Promise<AgedPage> {
    return table === 'event_log'
      ? this.outcomes(tx, olderThan, from, limit)
      : this.entries(tx, table, olderThan, from, limit);
  }

  /** Deletes those of the rows that are still as they were found; returns their number. */
  async remove(tx: Tx, table: AgedTable, ids: readonly number[], olderThan: number): Promise<number> {
    if (ids.length === 0) return 0;
    const isOld = table === 'event_log' ? `decided_at < ? AND ${OUTCOME_SQL}` : 'at < ?';
    const those = `FROM ${table} WHERE id IN (${places(ids)}) AND ${isOld}`;
    const values = [...ids, olderThan];
    // What an event was found by goes with its row.
    if (table === 'event_log')
      await tx.manager.query(`DELETE FROM wecom_id WHERE event_key IN (SELECT msg_id_or_hash ${those})`, values);
    return changedRows(tx, `DELETE ${those}`, values);
  }

  /** By age, through an index of its own: an old event may have been decided yesterday, after a redrive. */
  private async outcomes(tx: Tx, olderThan: number, from: number, limit: number): Promise<AgedPage> {
    const rows: AgedIds[] = await tx.manager.query(
      `SELECT id, decided_at AS at FROM event_log
       WHERE ${OUTCOME_SQL} AND decided_at >= ? AND decided_at < ? ORDER BY decided_at LIMIT ?`,
      [from, olderThan, limit],
    );
    return page(rows, rows.length === limit ? (rows.at(-1)?.at ?? null) : null);
  }

  /** By id: these rows are written once, so their ids ascend with their age, but for clocks that differ a little. */
  private async entries(
    tx: Tx,
    table: Exclude<AgedTable, 'event_log'>,
    olderThan: number,
    from: number,
    limit: number,
  ): Promise<AgedPage> {
    const and = table === 'event_history' ? `AND ${NOT_OF_WAITING_SQL}` : '';
    const rows: AgedIds[] = await tx.manager.query(
      `SELECT id, at FROM ${table} WHERE id > ? ${and} ORDER BY id LIMIT ?`,
      [from, limit],
    );
    const old = rows.filter(({ at }) => at < olderThan);
    // A page without one old row: those behind it are younger still.
    return page(old, old.length > 0 && rows.length === limit ? (rows.at(-1)?.id ?? null) : null);
  }
}

function page(rows: readonly AgedIds[], next: number | null): AgedPage {
  return { ids: rows.map(({ id }) => id).sort((a, b) => a - b), next };
}

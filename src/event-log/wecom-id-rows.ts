import { tuples } from '../database/sql-lists.js';
import type { Tx } from '../database/unit-of-work.js';
import type { EventIdentity } from './event-log.js';

const ROWS_MAX = 512;

/**
 * Keeps by which of WeCom's ids the events are found, in the transaction that writes their rows. The same SQL on every
 * database. Not for rows that exist already: a second copy would be a duplicate key.
 */
export async function insertWecomIds(tx: Tx, rows: readonly EventIdentity[]): Promise<void> {
  const ids = rows.flatMap(({ eventKey, wecomIds = [] }) => wecomIds.map(({ name, value }) => [value, name, eventKey]));
  for (let at = 0; at < ids.length;) {
    // Powers of two: ten statements in all, which stay prepared. One of each length would push out all others.
    const count = Math.min(ROWS_MAX, 2 ** Math.floor(Math.log2(ids.length - at)));
    const part = ids.slice(at, at + count);
    await tx.manager.query(`INSERT INTO wecom_id (value, name, event_key) VALUES ${tuples(count, 3)}`, part.flat());
    at += count;
  }
}

import { partsOf, tuples } from '../database/sql-lists.js';
import type { Tx } from '../database/unit-of-work.js';
import type { EventIdentity } from './event-log.js';

/**
 * Keeps by which of WeCom's ids the events are found, in the transaction that writes their rows. The same SQL on every
 * database. Not for rows that exist already: a second copy would be a duplicate key.
 */
export async function insertWecomIds(tx: Tx, rows: readonly EventIdentity[]): Promise<void> {
  const ids = rows.flatMap(({ eventKey, wecomIds = [] }) => wecomIds.map(({ name, value }) => [value, name, eventKey]));
  for (const part of partsOf(ids))
    await tx.manager.query(
      `INSERT INTO wecom_id (value, name, event_key) VALUES ${tuples(part.length, 3)}`,
      part.flat(),
    );
}

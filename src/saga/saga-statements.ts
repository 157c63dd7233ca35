import { changedRows } from '../database/changed-rows.js';
import { driverErrorKind } from '../database/database-errors.js';
import { tuples } from '../database/sql-lists.js';
import type { Tx } from '../database/unit-of-work.js';
import type { EntityRef } from '../entity-types/entity-ref.js';
import { UNSEEN, type EntitySnapshot } from './decide.js';
import type { EntityChange, EntityWrite, KeyedEntity } from './saga-store.js';

export interface RawSaga {
  readonly receiver: string;
  readonly corp_id: string;
  readonly entity_type: string;
  readonly entity_id: string;
  readonly entity_key: string;
  readonly state: string;
  readonly version: number;
  readonly last_event_time: number | null;
  readonly last_rank: number | null;
  readonly second_ranks: number;
  readonly unconfirmed: number;
  readonly tombstone: number;
}

interface RawChange {
  readonly id: number;
  readonly entity_key: string;
  readonly event_key: string;
  readonly from_state: string;
  readonly to_state: string;
  readonly create_time: number | null;
  readonly event_rank: number;
  readonly at: number;
}

/** Snapshots by key; `sql` selects the rows of these entities, and what has no row is unseen. */
export async function readSnapshots(
  tx: Tx,
  entities: readonly Pick<KeyedEntity, 'key'>[],
  sql: (count: number) => string,
): Promise<Map<string, EntitySnapshot>> {
  const found = new Map<string, EntitySnapshot>(entities.map(({ key }) => [key, UNSEEN]));
  if (entities.length === 0) return found;
  const keys = [...found.keys()];
  const rows: RawSaga[] = await tx.manager.query(sql(keys.length), keys);
  for (const row of rows) found.set(row.entity_key, snapshotFrom(row));
  return found;
}

/** All or none of them; false when one has a row already. */
export async function insertEntities(
  tx: Tx,
  rows: readonly { readonly entity: KeyedEntity; readonly after: EntitySnapshot }[],
): Promise<boolean> {
  try {
    await tx.manager.query(
      `INSERT INTO saga (receiver, corp_id, entity_type, entity_id, entity_key, state, version, last_event_time,
         last_rank, second_ranks, unconfirmed, tombstone) VALUES ${tuples(rows.length, 12)}`,
      rows.flatMap(({ entity: { ref, key }, after }) => [
        ...[ref.receiver, ref.corpId, ref.entityType, ref.entityId, key, after.state, after.version],
        ...[after.lastEventTime, after.lastRank, after.secondRanks],
        ...[Number(after.unconfirmed), Number(after.tombstone)],
      ]),
    );
    return true;
  } catch (error) {
    if (driverErrorKind(error) === 'duplicate-key') return false;
    throw error;
  }
}

export async function updateEntity(tx: Tx, { entity, before, after }: EntityWrite): Promise<boolean> {
  // A mark (doubt, a rank of the second) applies nothing, so it leaves the version and is compared by itself.
  const count = await changedRows(
    tx,
    `UPDATE saga SET state = ?, version = ?, last_event_time = ?, last_rank = ?, second_ranks = ?, unconfirmed = ?,
       tombstone = ?
     WHERE entity_key = ? AND version = ? AND second_ranks = ? AND unconfirmed = ?`,
    [
      ...[after.state, after.version, after.lastEventTime, after.lastRank, after.secondRanks],
      ...[Number(after.unconfirmed), Number(after.tombstone), entity.key, before.version],
      ...[before.secondRanks, Number(before.unconfirmed)],
    ],
  );
  return count === 1;
}

export async function insertChanges(tx: Tx, changes: readonly EntityChange[]): Promise<void> {
  if (changes.length === 0) return;
  await tx.manager.query(
    `INSERT INTO entity_change (entity_key, event_key, from_state, to_state, create_time, event_rank, at)
     VALUES ${tuples(changes.length, 7)}`,
    changes.flatMap((change) => [
      ...[change.entityKey, change.eventKey, change.fromState, change.toState],
      ...[change.createTime, change.eventRank, change.at],
    ]),
  );
}

export async function readTimeline(tx: Tx, entityKey: string): Promise<EntityChange[]> {
  const rows: RawChange[] = await tx.manager.query(
    'SELECT * FROM entity_change WHERE entity_key = ? ORDER BY id LIMIT 1000',
    [entityKey],
  );
  return rows.map(changeFrom);
}

export async function readChanges(tx: Tx, afterId: number, limit: number): Promise<(EntityChange & { id: number })[]> {
  const rows: RawChange[] = await tx.manager.query('SELECT * FROM entity_change WHERE id > ? ORDER BY id LIMIT ?', [
    afterId,
    limit,
  ]);
  return rows.map(changeFrom);
}

export async function readLastChangeId(tx: Tx): Promise<number> {
  const rows: { last: number | null }[] = await tx.manager.query('SELECT MAX(id) AS last FROM entity_change');
  return rows[0]?.last ?? 0;
}

/** Null too for a row that was only prepared: no event of it was applied. */
export async function readEntity(tx: Tx, entityKey: string): Promise<(EntitySnapshot & EntityRef) | null> {
  const rows: RawSaga[] = await tx.manager.query('SELECT * FROM saga WHERE entity_key = ? AND version > 0', [
    entityKey,
  ]);
  const row = rows[0];
  if (!row) return null;
  const ref = { receiver: row.receiver, corpId: row.corp_id, entityType: row.entity_type, entityId: row.entity_id };
  return { ...ref, ...snapshotFrom(row) };
}

function snapshotFrom(row: RawSaga): EntitySnapshot {
  return {
    version: row.version,
    state: row.state,
    lastEventTime: row.last_event_time,
    lastRank: row.last_rank,
    secondRanks: row.second_ranks,
    unconfirmed: row.unconfirmed !== 0,
    tombstone: row.tombstone !== 0,
  };
}

function changeFrom(row: RawChange): EntityChange & { id: number } {
  return {
    id: row.id,
    entityKey: row.entity_key,
    eventKey: row.event_key,
    fromState: row.from_state,
    toState: row.to_state,
    createTime: row.create_time,
    eventRank: row.event_rank,
    at: row.at,
  };
}

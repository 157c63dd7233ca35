import { Injectable } from '@nestjs/common';
import { fittingKey } from '../../database/fitting-key.js';
import { places } from '../../database/sql-lists.js';
import { UnitOfWork, type Tx } from '../../database/unit-of-work.js';
import type { EntityRef } from '../../entity-types/entity-ref.js';
import { UNSEEN, type EntitySnapshot } from '../decide.js';
import * as statements from '../saga-statements.js';
import { SagaStore, type EntityChange, type EntityWrite, type KeyedEntity } from '../saga-store.js';

/** For MySQL and MariaDB. A prepared row has version 0 and reads as unseen. */
@Injectable()
export class MysqlSagaStore extends SagaStore {
  constructor(private readonly unitOfWork: UnitOfWork) {
    super();
  }

  /**
   * Looks first, since nearly always every row is there, and a failed INSERT uses up ids. Those missing are made in order
   * of their keys, so that two workers wait for each other in one direction only. A row that somebody else made meanwhile
   * is as good; the error for it undoes the whole statement, so then each is made by itself.
   */
  override async prepare(entities: readonly KeyedEntity[]): Promise<void> {
    if (entities.length === 0) return;
    const known = await this.unitOfWork.read((tx) => this.existing(tx, entities));
    const missing = entities.filter(({ key }) => !known.has(key)).sort((a, b) => (a.key < b.key ? -1 : 1));
    if (missing.length === 0 || (await this.make(missing))) return;
    for (const entity of missing) await this.make([entity]);
  }

  override lock(tx: Tx, entities: readonly Pick<KeyedEntity, 'key'>[]): Promise<Map<string, EntitySnapshot>> {
    // By the index of the key: another plan would lock rows that it only passes, and those of a batch in another order.
    return statements.readSnapshots(
      tx,
      entities,
      (count) =>
        `SELECT * FROM saga FORCE INDEX (ix_saga_entity_key) WHERE entity_key IN (${places(Array(count))})
         ORDER BY entity_key FOR UPDATE`,
    );
  }

  override load(tx: Tx, entities: readonly Pick<KeyedEntity, 'key'>[]): Promise<Map<string, EntitySnapshot>> {
    return statements.readSnapshots(
      tx,
      entities,
      (count) => `SELECT * FROM saga WHERE entity_key IN (${places(Array(count))})`,
    );
  }

  override async write(tx: Tx, writes: readonly EntityWrite[]): Promise<boolean> {
    for (const write of writes) {
      if (await statements.updateEntity(tx, write)) continue;
      // An unseen entity has a row if it was prepared, and none if nobody locks entities of its type.
      const isMade =
        write.before.version === 0 && (await statements.insertEntities(tx, [fitting(write.entity)], write.after));
      if (!isMade) return false;
    }
    return true;
  }

  private make(entities: readonly KeyedEntity[]): Promise<boolean> {
    return this.unitOfWork.write((tx) => statements.insertEntities(tx, entities.map(fitting), UNSEEN));
  }

  private async existing(tx: Tx, entities: readonly KeyedEntity[]): Promise<Set<string>> {
    const keys = entities.map(({ key }) => key);
    const rows: { entity_key: string }[] = await tx.manager.query(
      `SELECT entity_key FROM saga WHERE entity_key IN (${places(keys)})`,
      keys,
    );
    return new Set(rows.map((row) => row.entity_key));
  }

  override recordChanges(tx: Tx, changes: readonly EntityChange[]): Promise<void> {
    return statements.insertChanges(tx, changes);
  }

  override timeline(tx: Tx, entityKey: string): Promise<EntityChange[]> {
    return statements.readTimeline(tx, entityKey);
  }

  override changes(tx: Tx, afterId: number, limit: number): Promise<(EntityChange & { id: number })[]> {
    return statements.readChanges(tx, afterId, limit);
  }

  override lastChangeId(tx: Tx): Promise<number> {
    return statements.readLastChangeId(tx);
  }

  override find(tx: Tx, entityKey: string): Promise<(EntitySnapshot & EntityRef) | null> {
    return statements.readEntity(tx, entityKey);
  }
}

/** An id that is too long for its column must not stop its events for ever. */
function fitting({ ref, key }: KeyedEntity): KeyedEntity {
  return {
    key,
    ref: {
      receiver: fittingKey(ref.receiver, 64),
      corpId: fittingKey(ref.corpId, 64),
      entityType: fittingKey(ref.entityType, 64),
      entityId: fittingKey(ref.entityId, 384),
    },
  };
}

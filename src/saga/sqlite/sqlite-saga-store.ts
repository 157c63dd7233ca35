import { Injectable } from '@nestjs/common';
import { places } from '../../database/sql-lists.js';
import type { Tx } from '../../database/unit-of-work.js';
import type { EntityRef } from '../../entity-types/entity-ref.js';
import type { EntitySnapshot } from '../decide.js';
import * as statements from '../saga-statements.js';
import { SagaStore, type EntityChange, type EntityWrite, type KeyedEntity } from '../saga-store.js';

/** One writer at a time, so rows need neither preparation nor locks. */
@Injectable()
export class SqliteSagaStore extends SagaStore {
  override async prepare(_entities: readonly KeyedEntity[]): Promise<void> {
    // Transactions on the one writer never overlap: nothing can come between reading a missing row and inserting it.
  }

  override lock(tx: Tx, entities: readonly Pick<KeyedEntity, 'key'>[]): Promise<Map<string, EntitySnapshot>> {
    return this.load(tx, entities);
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
      const written =
        write.before.version === 0
          ? await statements.insertEntities(tx, [write])
          : await statements.updateEntity(tx, write);
      if (!written) return false;
    }
    return true;
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

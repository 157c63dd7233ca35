import type { Tx } from '../database/unit-of-work.js';
import type { EntityRef } from '../entity-types/entity-ref.js';
import type { EntitySnapshot } from './decide.js';

export interface KeyedEntity {
  readonly ref: EntityRef;
  readonly key: string;
}

export interface EntityChange {
  readonly entityKey: string;
  readonly eventKey: string;
  readonly fromState: string;
  readonly toState: string;
  readonly createTime: number | null;
  readonly eventRank: number;
  readonly at: number;
}

export interface EntityWrite {
  readonly entity: KeyedEntity;
  readonly before: EntitySnapshot;
  readonly after: EntitySnapshot;
}

/** The entity rows and their time line. Snapshots of entities without a row are `UNSEEN`. */
export abstract class SagaStore {
  /**
   * Makes the rows exist, committed, before a transaction locks them: a missing row locks nothing. An adapter whose
   * writers never run side by side may do nothing.
   */
  abstract prepare(entities: readonly KeyedEntity[]): Promise<void>;

  /** Locks the rows of strict entities in key order until the end of the transaction and reads them. */
  abstract lock(tx: Tx, entities: readonly Pick<KeyedEntity, 'key'>[]): Promise<Map<string, EntitySnapshot>>;

  /** Reads without a lock: the compare-and-set decides. */
  abstract load(tx: Tx, entities: readonly Pick<KeyedEntity, 'key'>[]): Promise<Map<string, EntitySnapshot>>;

  /**
   * Compare-and-set on the version read. False when one of them missed: the caller must roll back and run its whole
   * transaction again.
   */
  abstract write(tx: Tx, writes: readonly EntityWrite[]): Promise<boolean>;

  abstract recordChanges(tx: Tx, changes: readonly EntityChange[]): Promise<void>;

  /** The time line of one entity, oldest first. */
  abstract timeline(tx: Tx, entityKey: string): Promise<EntityChange[]>;

  /** All changes in commit order, from `afterId` on: for auditors that check the promise from outside. */
  abstract changes(tx: Tx, afterId: number, limit: number): Promise<(EntityChange & { readonly id: number })[]>;

  /** The id of the newest change; 0 when there is none. */
  abstract lastChangeId(tx: Tx): Promise<number>;

  /** Null when no event of the entity was applied. */
  abstract find(tx: Tx, entityKey: string): Promise<(EntitySnapshot & EntityRef) | null>;
}

import { Column, Entity, Index, PrimaryGeneratedColumn, VersionColumn } from 'typeorm';

/** The entity row: where a business object stands, and which event brought it there. */
@Entity('saga')
@Index('uq_saga_receiver_corp_id_entity_type_entity_id', ['receiver', 'corpId', 'entityType', 'entityId'], {
  unique: true,
})
export class SagaRow {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ type: 'varchar', length: 64 })
  receiver!: string;

  @Column({ name: 'corp_id', type: 'varchar', length: 64 })
  corpId!: string;

  @Column({ name: 'entity_type', type: 'varchar', length: 64 })
  entityType!: string;

  @Column({ name: 'entity_id', type: 'varchar', length: 384 })
  entityId!: string;

  /** As in `event_log`, to find the rows of an entity. */
  @Column({ name: 'entity_key', type: 'varchar', length: 512 })
  entityKey!: string;

  @Column({ type: 'varchar', length: 64 })
  state!: string;

  /** Grows by one with each applied event. `save()` with a stale version raises nothing, so writes compare it by hand. */
  @VersionColumn({ type: 'integer' })
  version!: number;

  /** CreateTime of the last applied event, in whole seconds as WeCom sends it; null before the first one with a time. */
  @Column({ name: 'last_event_time', type: 'bigint', nullable: true })
  lastEventTime!: number | null;

  @Column({ name: 'last_rank', type: 'integer', nullable: true })
  lastRank!: number | null;

  /** A bit for each rank that an event of that second had, applied or too late: bit 1 for rank 1, and so on. */
  @Column({ name: 'second_ranks', type: 'integer' })
  secondRanks!: number;

  /** True while the state rests on an event whose predecessor was never seen. */
  @Column({ type: 'boolean' })
  unconfirmed!: boolean;

  /** True when the object is gone. The row stays, so that a late event cannot bring it back. */
  @Column({ type: 'boolean' })
  tombstone!: boolean;
}

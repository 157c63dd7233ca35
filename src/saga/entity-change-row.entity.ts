import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/**
 * The time line of an entity: one row an applied event, written with the effect. It has no unique key on purpose: it is
 * the witness that would show a second effect, so nothing here may prevent one.
 */
@Entity('entity_change')
@Index('ix_entity_change_entity_key', ['entityKey'])
export class EntityChangeRow {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ name: 'entity_key', type: 'varchar', length: 512 })
  entityKey!: string;

  @Column({ name: 'event_key', type: 'varchar', length: 64 })
  eventKey!: string;

  @Column({ name: 'from_state', type: 'varchar', length: 64 })
  fromState!: string;

  @Column({ name: 'to_state', type: 'varchar', length: 64 })
  toState!: string;

  /** Seconds since 1970, or null. */
  @Column({ name: 'create_time', type: 'bigint', nullable: true })
  createTime!: number | null;

  @Column({ name: 'event_rank', type: 'integer' })
  eventRank!: number;

  /** Milliseconds since 1970. */
  @Column({ type: 'bigint' })
  at!: number;
}

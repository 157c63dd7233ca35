import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The business table of customers. No version of its own: the saga row has it, in the same transaction. */
@Entity('customer_relation')
export class CustomerRelationRow {
  @PrimaryColumn({ name: 'entity_key', type: 'varchar', length: 512 })
  entityKey!: string;

  @Column({ name: 'user_id', type: 'varchar', length: 128 })
  userId!: string;

  @Column({ name: 'external_user_id', type: 'varchar', length: 128 })
  externalUserId!: string;

  @Column({ type: 'varchar', length: 32 })
  status!: string;

  /** The channel code of the last addition (State), or ''. */
  @Column({ name: 'add_state', type: 'varchar', length: 255 })
  addState!: string;

  /** Events that took effect on this relation. */
  @Column({ name: 'effect_count', type: 'integer' })
  effectCount!: number;
}

import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The business table of approvals. No version of its own: the saga row has it, in the same transaction. */
@Entity('approval_order')
export class ApprovalOrderRow {
  @PrimaryColumn({ name: 'entity_key', type: 'varchar', length: 512 })
  entityKey!: string;

  @Column({ name: 'sp_no', type: 'varchar', length: 128 })
  spNo!: string;

  @Column({ name: 'sp_name', type: 'varchar', length: 255 })
  spName!: string;

  @Column({ name: 'template_id', type: 'varchar', length: 255 })
  templateId!: string;

  @Column({ name: 'applyer_user_id', type: 'varchar', length: 128 })
  applyerUserId!: string;

  @Column({ type: 'varchar', length: 16 })
  status!: string;

  /** Events that took effect on this order. */
  @Column({ name: 'effect_count', type: 'integer' })
  effectCount!: number;
}

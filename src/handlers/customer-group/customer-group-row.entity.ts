import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The business table of customer groups. */
@Entity('customer_group')
export class CustomerGroupRow {
  @PrimaryColumn({ name: 'entity_key', type: 'varchar', length: 512 })
  entityKey!: string;

  @Column({ name: 'chat_id', type: 'varchar', length: 128 })
  chatId!: string;

  @Column({ type: 'varchar', length: 16 })
  status!: string;

  /** CurMemVer of the last member change, or ''. */
  @Column({ name: 'member_version', type: 'varchar', length: 128 })
  memberVersion!: string;

  /** True while a member change is known to be missing: LastMemVer did not continue what was stored. */
  @Column({ name: 'members_incomplete', type: 'boolean' })
  membersIncomplete!: boolean;

  /** Events that took effect on this group. */
  @Column({ name: 'effect_count', type: 'integer' })
  effectCount!: number;
}

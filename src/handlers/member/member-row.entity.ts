import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * The business table of members. An attribute is null until an event has told it: an update carries only what changed.
 * No version of its own: the saga row has it, in the same transaction.
 */
@Entity('member')
export class MemberRow {
  @PrimaryColumn({ name: 'entity_key', type: 'varchar', length: 512 })
  entityKey!: string;

  @Column({ name: 'user_id', type: 'varchar', length: 128 })
  userId!: string;

  @Column({ type: 'varchar', length: 16 })
  status!: string;

  /** The id that the member carries on under, while this one is RENAMED. */
  @Column({ name: 'renamed_to', type: 'varchar', length: 128, nullable: true })
  renamedTo!: string | null;

  @Column({ type: 'text', nullable: true })
  name!: string | null;

  /** Ids of departments, separated by commas, as WeCom sends them. */
  @Column({ type: 'text', nullable: true })
  department!: string | null;

  @Column({ name: 'main_department', type: 'varchar', length: 64, nullable: true })
  mainDepartment!: string | null;

  /** WeCom's Status: 1 active, 2 disabled, 4 not activated, 5 left. */
  @Column({ name: 'wecom_status', type: 'varchar', length: 16, nullable: true })
  wecomStatus!: string | null;

  /** Grows when the id is given again: a person hired again, or another one. */
  @Column({ type: 'integer' })
  incarnation!: number;

  /** Events that took effect on this member. */
  @Column({ name: 'effect_count', type: 'integer' })
  effectCount!: number;
}

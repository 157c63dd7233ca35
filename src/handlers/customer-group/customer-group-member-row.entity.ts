import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A member of a customer group, as far as its member events tell. */
@Entity('customer_group_member')
export class CustomerGroupMemberRow {
  @PrimaryColumn({ name: 'entity_key', type: 'varchar', length: 512 })
  entityKey!: string;

  @PrimaryColumn({ name: 'member_id', type: 'varchar', length: 128 })
  memberId!: string;

  /** CreateTime of the event that brought the member, in seconds. */
  @Column({ name: 'joined_at', type: 'bigint', nullable: true })
  joinedAt!: number | null;
}

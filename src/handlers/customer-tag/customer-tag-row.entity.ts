import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The business table of customer tags and their groups. No version of its own: the saga row has it. */
@Entity('customer_tag')
export class CustomerTagRow {
  @PrimaryColumn({ name: 'entity_key', type: 'varchar', length: 512 })
  entityKey!: string;

  /** `tag`, `tag_group`, or `strategy` for a shuffle that names no group. */
  @Column({ name: 'tag_type', type: 'varchar', length: 32 })
  tagType!: string;

  @Column({ name: 'tag_id', type: 'varchar', length: 128 })
  tagId!: string;

  /** The rule set of customer contact (规则组) that the tag belongs to, or ''. */
  @Column({ name: 'strategy_id', type: 'varchar', length: 64 })
  strategyId!: string;

  @Column({ type: 'varchar', length: 16 })
  status!: string;

  /** Shuffles since the order was last read from WeCom; the events do not tell the new order. */
  @Column({ name: 'shuffle_count', type: 'integer' })
  shuffleCount!: number;

  /** Events that took effect on this tag. */
  @Column({ name: 'effect_count', type: 'integer' })
  effectCount!: number;
}

import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** Every decision about an event and its reason, in the transaction that made it so. */
@Entity('event_history')
@Index('ix_event_history_event_key', ['eventKey'])
export class EventHistoryRow {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ name: 'event_key', type: 'varchar', length: 64 })
  eventKey!: string;

  /** Milliseconds since 1970. */
  @Column({ type: 'bigint' })
  at!: number;

  /** Who decided: `worker`, `retry`, or the name of an operator. */
  @Column({ type: 'varchar', length: 64 })
  actor!: string;

  @Column({ type: 'varchar', length: 128 })
  instance!: string;

  @Column({ type: 'varchar', length: 16 })
  decision!: string;

  @Column({ type: 'text' })
  reason!: string;

  @Column({ type: 'integer' })
  generation!: number;

  @Column({ type: 'integer' })
  attempt!: number;
}

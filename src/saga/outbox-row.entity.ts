import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** A side effect to come, written in the transaction of the effect that asks for it. */
@Entity('outbox')
@Index('ix_outbox_status_due_at', ['status', 'dueAt'])
@Index('uq_outbox_idempotency_key', ['idempotencyKey'], { unique: true })
export class OutboxRow {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  /**
   * What the other side de-duplicates by: `<event key>:<index of the command>`, for a dead letter's copy
   * `<event key>:dead:<generation>`, for a compensation the key of its command with `:compensation` behind it.
   */
  @Column({ name: 'idempotency_key', type: 'varchar', length: 96 })
  idempotencyKey!: string;

  @Column({ name: 'event_key', type: 'varchar', length: 64 })
  eventKey!: string;

  /** The command, JSON. */
  @Column({ type: 'text' })
  command!: string;

  @Column({ type: 'varchar', length: 16 })
  status!: 'PENDING' | 'DEAD';

  @Column({ type: 'integer' })
  attempt!: number;

  @Column({ name: 'due_at', type: 'bigint' })
  dueAt!: number;

  @Column({ name: 'error_message', type: 'text', nullable: true })
  errorMessage!: string | null;
}

import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';
import type { EventStatus } from './status.js';

/** One row an event: an outcome or a waiting status (protocol.md, "One row an event"). Wall 3 is its unique index. */
@Entity('event_log')
@Index('uq_event_log_corp_id_event_type_msg_id_or_hash', ['corpId', 'eventType', 'msgIdOrHash'], { unique: true })
export class EventLogRow {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  @Column({ name: 'corp_id', type: 'varchar', length: 64 })
  corpId!: string;

  @Column({ name: 'event_type', type: 'varchar', length: 128 })
  eventType!: string;

  /** Always the event key: a raw MsgId here would merge two apps. */
  @Column({ name: 'msg_id_or_hash', type: 'varchar', length: 64 })
  msgIdOrHash!: string;

  @Column({ type: 'varchar', length: 64 })
  app!: string;

  @Column({ name: 'change_type', type: 'varchar', length: 128, nullable: true })
  changeType!: string | null;

  @Column({ name: 'entity_key', type: 'varchar', length: 512, nullable: true })
  entityKey!: string | null;

  @Column({ name: 'msg_id', type: 'varchar', length: 128, nullable: true })
  msgId!: string | null;

  /** Seconds since 1970, as WeCom sent it. */
  @Column({ name: 'create_time', type: 'bigint', nullable: true })
  createTime!: number | null;

  @Column({ type: 'varchar', length: 16 })
  status!: EventStatus;

  @Column({ type: 'integer' })
  generation!: number;

  /** Runs begun in this generation. */
  @Column({ type: 'integer' })
  attempt!: number;

  @Column({ name: 'run_token', type: 'varchar', length: 32, nullable: true })
  runToken!: string | null;

  /** Place in the line of a strict entity; null for all others. Kept through DEAD and redrive. */
  @Column({ name: 'lane_seq', type: 'integer', nullable: true })
  laneSeq!: number | null;

  /** Milliseconds since 1970; null when nothing is due. */
  @Column({ name: 'due_at', type: 'bigint', nullable: true })
  dueAt!: number | null;

  @Column({ type: 'text' })
  plaintext!: string;

  @Column({ name: 'received_at', type: 'bigint' })
  receivedAt!: number;

  /** The gateway's facts and the trace context, JSON. */
  @Column({ type: 'text' })
  facts!: string;

  @Column({ name: 'error_code', type: 'varchar', length: 64, nullable: true })
  errorCode!: string | null;

  @Column({ name: 'error_message', type: 'text', nullable: true })
  errorMessage!: string | null;

  @Column({ name: 'error_group', type: 'varchar', length: 64, nullable: true })
  errorGroup!: string | null;

  @Column({ name: 'decided_at', type: 'bigint' })
  decidedAt!: number;
}

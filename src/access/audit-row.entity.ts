import { Column, Entity, Index, PrimaryGeneratedColumn } from 'typeorm';

/** What people did, in the transaction that did it. */
@Entity('audit')
@Index('ix_audit_target', ['target'])
export class AuditRow {
  @PrimaryGeneratedColumn({ type: 'integer' })
  id!: number;

  /** Milliseconds since 1970. */
  @Column({ type: 'bigint' })
  at!: number;

  @Column({ type: 'varchar', length: 128 })
  actor!: string;

  @Column({ type: 'varchar', length: 32 })
  action!: string;

  @Column({ type: 'varchar', length: 128 })
  target!: string;

  /** JSON. */
  @Column({ type: 'text' })
  detail!: string;
}

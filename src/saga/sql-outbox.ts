import { changedRows } from '../database/changed-rows.js';
import { places } from '../database/sql-lists.js';
import type { Tx } from '../database/unit-of-work.js';
import { Outbox, type OutboxEntry, type PendingCommand } from './outbox.js';
import type { Command } from './state-machine.js';

interface RawCommand {
  readonly id: number;
  readonly idempotency_key: string;
  readonly event_key: string;
  readonly command: string;
  readonly attempt: number;
  readonly due_at: number;
}

const SQLITE_DUE_SQL = "SELECT * FROM outbox WHERE status = 'PENDING' AND due_at <= ? ORDER BY due_at, id LIMIT ?";
// What another relay is taking is passed over. The index gives the order, so no more rows are locked than are taken.
const MYSQL_DUE_SQL = `SELECT * FROM outbox FORCE INDEX (ix_outbox_status_due_at)
  WHERE status = 'PENDING' AND due_at <= ? ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED`;

/** The databases differ in how due rows are found; all other statements are the same. */
export class SqlOutbox extends Outbox {
  private constructor(private readonly dueSql: string) {
    super();
  }

  static forSqlite(): SqlOutbox {
    return new SqlOutbox(SQLITE_DUE_SQL);
  }

  /** For MariaDB too. */
  static forMysql(): SqlOutbox {
    return new SqlOutbox(MYSQL_DUE_SQL);
  }

  override async add(tx: Tx, entries: readonly OutboxEntry[]): Promise<void> {
    if (entries.length === 0) return;
    await tx.manager.query(
      `INSERT INTO outbox (idempotency_key, event_key, command, status, attempt, due_at)
       VALUES ${entries.map(() => "(?, ?, ?, 'PENDING', 0, ?)").join(', ')}`,
      entries.flatMap((entry) => [entry.idempotencyKey, entry.eventKey, JSON.stringify(entry.command), entry.dueAt]),
    );
  }

  /** A crash before the delivery must not lose a command: hidden, it comes again. */
  override async pick(tx: Tx, now: number, hiddenUntil: number, limit: number): Promise<PendingCommand[]> {
    const rows: RawCommand[] = await tx.manager.query(this.dueSql, [now, limit]);
    if (rows.length === 0) return [];
    await tx.manager.query(`UPDATE outbox SET attempt = attempt + 1, due_at = ? WHERE id IN (${places(rows)})`, [
      hiddenUntil,
      ...rows.map((row) => row.id),
    ]);
    return rows.map((row) => ({
      id: row.id,
      idempotencyKey: row.idempotency_key,
      eventKey: row.event_key,
      command: JSON.parse(row.command) as Command,
      attempt: row.attempt + 1,
      dueAt: hiddenUntil,
    }));
  }

  override async delivered(tx: Tx, ids: readonly number[]): Promise<void> {
    if (ids.length === 0) return;
    // In order of ids, so that two that delete the same rows do not deadlock.
    const sorted = [...ids].sort((a, b) => a - b);
    await tx.manager.query(`DELETE FROM outbox WHERE id IN (${places(sorted)})`, sorted);
  }

  override async failed(tx: Tx, id: number, retryAt: number, error: string): Promise<void> {
    await tx.manager.query("UPDATE outbox SET due_at = ?, error_message = ? WHERE id = ? AND status = 'PENDING'", [
      retryAt,
      error,
      id,
    ]);
  }

  override async dead(tx: Tx, command: PendingCommand, error: string, now: number): Promise<void> {
    const sql = "UPDATE outbox SET status = 'DEAD', error_message = ? WHERE id = ? AND status = 'PENDING'";
    const count = await changedRows(tx, sql, [error, command.id]);
    const { compensation } = command.command;
    if (!compensation || count === 0) return;
    const idempotencyKey = `${command.idempotencyKey}:compensation`;
    await this.add(tx, [{ idempotencyKey, eventKey: command.eventKey, command: compensation, dueAt: now }]);
  }

  override async counts(tx: Tx): Promise<{ pending: number; dead: number }> {
    const rows: { status: string; total: number }[] = await tx.manager.query(
      'SELECT status, COUNT(*) AS total FROM outbox GROUP BY status',
    );
    const of = (status: string): number => rows.find((row) => row.status === status)?.total ?? 0;
    return { pending: of('PENDING'), dead: of('DEAD') };
  }
}

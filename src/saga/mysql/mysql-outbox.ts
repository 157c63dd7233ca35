import { Injectable } from '@nestjs/common';
import type { Tx } from '../../database/unit-of-work.js';
import { Outbox, type OutboxEntry, type PendingCommand } from '../outbox.js';
import * as statements from '../outbox-statements.js';

// What another relay is taking is passed over. The index gives the order, so no more rows are locked than are taken.
const DUE_SQL = `SELECT * FROM outbox FORCE INDEX (ix_outbox_status_due_at)
  WHERE status = 'PENDING' AND due_at <= ? ORDER BY due_at, id LIMIT ? FOR UPDATE SKIP LOCKED`;

/** For MySQL and MariaDB. */
@Injectable()
export class MysqlOutbox extends Outbox {
  override add(tx: Tx, entries: readonly OutboxEntry[]): Promise<void> {
    return statements.insertCommands(tx, entries);
  }

  override pick(tx: Tx, now: number, hiddenUntil: number, limit: number): Promise<PendingCommand[]> {
    return statements.takeCommands(tx, DUE_SQL, now, hiddenUntil, limit);
  }

  override delivered(tx: Tx, ids: readonly number[]): Promise<void> {
    return statements.deleteCommands(tx, ids);
  }

  override failed(tx: Tx, id: number, retryAt: number, error: string): Promise<void> {
    return statements.postponeCommand(tx, id, retryAt, error);
  }

  override dead(tx: Tx, command: PendingCommand, error: string, now: number): Promise<void> {
    return statements.buryCommand(tx, command, error, now);
  }

  override counts(tx: Tx): Promise<{ pending: number; dead: number }> {
    return statements.countCommands(tx);
  }
}

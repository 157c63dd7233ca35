import { Injectable } from '@nestjs/common';
import { changedRows } from '../database/changed-rows.js';
import { places } from '../database/sql-lists.js';
import type { Tx } from '../database/unit-of-work.js';
import { upsertRows } from '../database/upsert-rows.js';
import { countAttempt, forgottenAt, type AttemptDecision, type AttemptRule, type Attempts } from './attempt-rule.js';

interface RawAttempts {
  readonly subject: string;
  readonly since: number;
  readonly attempts: number;
  readonly blocked_until: number;
}

const FORGOTTEN_MAX = 20;
const TABLE = 'admin_login_attempt';

/**
 * Attempts to log in, counted in the database so that all admin processes count together. One row for an account name,
 * whether it exists or not, and one for an address. The SQL is portable.
 */
@Injectable()
export class AttemptStore {
  /** Counts one. May lose a race for a new row with another process: then the transaction has to run again. */
  async count(tx: Tx, subject: string, now: number, rule: AttemptRule): Promise<AttemptDecision> {
    const columns = ['subject', 'since', 'attempts', 'blocked_until', 'expires_at'];
    // It changes nothing that is there: it makes the row, and holds it until the commit.
    await upsertRows(tx.manager, { table: TABLE, key: 'subject', columns, set: { subject: 'subject' } }, [
      [subject, now, 0, 0, now + rule.windowMs],
    ]);
    const decision = countAttempt(await this.find(tx, subject), now, rule);
    if (decision.kind === 'allowed' || decision.isNew) await this.write(tx, subject, decision.attempts, rule);
    return decision;
  }

  /** The attempt did not fail after all: it is as if it had not been. */
  async takeBack(tx: Tx, subject: string): Promise<void> {
    const sql = `UPDATE ${TABLE} SET attempts = attempts - 1 WHERE subject = ? AND attempts > 0 AND blocked_until = 0`;
    await changedRows(tx, sql, [subject]);
  }

  /** Forgets all of them: after a success, or when an administrator says so. */
  async clear(tx: Tx, subject: string): Promise<boolean> {
    return (await changedRows(tx, `DELETE FROM ${TABLE} WHERE subject = ?`, [subject])) === 1;
  }

  async blockedUntil(tx: Tx, subjects: readonly string[], now: number): Promise<ReadonlyMap<string, number>> {
    if (subjects.length === 0) return new Map();
    const rows: RawAttempts[] = await tx.manager.query(
      `SELECT subject, blocked_until FROM ${TABLE} WHERE subject IN (${places(subjects)}) AND blocked_until > ?`,
      [...subjects, now],
    );
    return new Map(rows.map(({ subject, blocked_until: until }) => [subject, until]));
  }

  /** Some of the rows that say nothing more; called at each attempt, so they do not pile up. */
  async forget(tx: Tx, now: number): Promise<void> {
    const rows: { subject: string }[] = await tx.manager.query(
      `SELECT subject FROM ${TABLE} WHERE expires_at <= ? ORDER BY expires_at LIMIT ?`,
      [now, FORGOTTEN_MAX],
    );
    if (rows.length === 0) return;
    // In one order, as all who lock several.
    const subjects = rows.map(({ subject }) => subject).sort();
    const sql = `DELETE FROM ${TABLE} WHERE subject IN (${places(subjects)}) AND expires_at <= ?`;
    await changedRows(tx, sql, [...subjects, now]);
  }

  /** Null when nothing was counted yet. */
  private async find(tx: Tx, subject: string): Promise<Attempts | null> {
    const sql = `SELECT since, attempts, blocked_until FROM ${TABLE} WHERE subject = ?`;
    const [row]: RawAttempts[] = await tx.manager.query(sql, [subject]);
    if (!row || row.attempts === 0) return null;
    return { since: row.since, count: row.attempts, blockedUntil: row.blocked_until };
  }

  private async write(tx: Tx, subject: string, attempts: Attempts, rule: AttemptRule): Promise<void> {
    const { since, count, blockedUntil } = attempts;
    await changedRows(
      tx,
      `UPDATE ${TABLE} SET since = ?, attempts = ?, blocked_until = ?, expires_at = ? WHERE subject = ?`,
      [since, count, blockedUntil, forgottenAt(attempts, rule), subject],
    );
  }
}

import { Injectable } from '@nestjs/common';
import { changedRows } from '../database/changed-rows.js';
import type { Tx } from '../database/unit-of-work.js';
import { Random } from '../runtime/random.js';

const TOKEN_BYTES = 32;

/** The links by which the first administrator is made, by the digests of their tokens. The SQL is portable. */
@Injectable()
export class SetupStore {
  constructor(private readonly random: Random) {}

  newToken(): string {
    return this.random.bytes(TOKEN_BYTES).toString('base64url');
  }

  /** One more; each admin process that starts has its own. Those that have expired go. */
  async create(tx: Tx, tokenHash: string, now: number, expiresAt: number): Promise<void> {
    await changedRows(tx, 'DELETE FROM admin_setup WHERE expires_at <= ?', [now]);
    const sql = 'INSERT INTO admin_setup (token_hash, created_at, expires_at) VALUES (?, ?, ?)';
    await tx.manager.query(sql, [tokenHash, now, expiresAt]);
  }

  async isValid(tx: Tx, tokenHash: string, now: number): Promise<boolean> {
    const sql = 'SELECT token_hash FROM admin_setup WHERE token_hash = ? AND expires_at > ?';
    const rows: unknown[] = await tx.manager.query(sql, [tokenHash, now]);
    return rows.length === 1;
  }

  /**
   * Uses a link up, and all others with it. False when it is none, or no more. Of two at once, with one link or with two,
   * the second waits for the first (or has to run again) and finds nothing.
   */
  async use(tx: Tx, tokenHash: string, now: number): Promise<boolean> {
    const sql = 'DELETE FROM admin_setup WHERE token_hash = ? AND expires_at > ?';
    if ((await changedRows(tx, sql, [tokenHash, now])) === 0) return false;
    await this.clear(tx);
    return true;
  }

  async clear(tx: Tx): Promise<void> {
    await changedRows(tx, 'DELETE FROM admin_setup WHERE expires_at > ?', [0]);
  }
}

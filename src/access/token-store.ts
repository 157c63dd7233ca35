import { Injectable } from '@nestjs/common';
import { changedRows } from '../database/changed-rows.js';
import type { Tx } from '../database/unit-of-work.js';
import { permissionsOf, permissionsText, type AdminRole, type Rights } from './admin-role.js';

export interface AdminToken extends Rights {
  readonly id: number;
  readonly name: string;
  readonly createdBy: string;
  readonly createdAt: number;
  /** Null: it does not expire. */
  readonly expiresAt: number | null;
  readonly lastUsedAt: number | null;
  readonly revokedAt: number | null;
}

export interface NewToken extends Rights {
  readonly name: string;
  readonly tokenHash: string;
  readonly createdBy: string;
  readonly createdAt: number;
  readonly expiresAt: number | null;
}

interface RawToken {
  readonly id: number;
  readonly name: string;
  readonly role: AdminRole;
  readonly permissions: string;
  readonly created_by: string;
  readonly created_at: number;
  readonly expires_at: number | null;
  readonly last_used_at: number | null;
  readonly revoked_at: number | null;
}

const COLUMNS = 'id, name, role, permissions, created_by, created_at, expires_at, last_used_at, revoked_at';

/** The table of tokens for machines, by their digests. The SQL is portable. */
@Injectable()
export class TokenStore {
  async create(tx: Tx, token: NewToken): Promise<AdminToken> {
    const { name, role, permissions, tokenHash, createdBy, createdAt, expiresAt } = token;
    await tx.manager.query(
      `INSERT INTO admin_token (name, role, permissions, token_hash, created_by, created_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?)`,
      [name, role, permissionsText(permissions), tokenHash, createdBy, createdAt, expiresAt],
    );
    const created = await this.byHash(tx, tokenHash);
    if (!created) throw new Error('the token that was just written is not there');
    return created;
  }

  async byHash(tx: Tx, tokenHash: string): Promise<AdminToken | null> {
    const sql = `SELECT ${COLUMNS} FROM admin_token WHERE token_hash = ?`;
    const rows: RawToken[] = await tx.manager.query(sql, [tokenHash]);
    return rows[0] ? tokenFrom(rows[0]) : null;
  }

  async byId(tx: Tx, id: number): Promise<AdminToken | null> {
    const rows: RawToken[] = await tx.manager.query(`SELECT ${COLUMNS} FROM admin_token WHERE id = ?`, [id]);
    return rows[0] ? tokenFrom(rows[0]) : null;
  }

  /** Newest first. */
  async list(tx: Tx, limit: number): Promise<AdminToken[]> {
    const sql = `SELECT ${COLUMNS} FROM admin_token ORDER BY id DESC LIMIT ?`;
    const rows: RawToken[] = await tx.manager.query(sql, [limit]);
    return rows.map(tokenFrom);
  }

  async count(tx: Tx): Promise<number> {
    const rows: { total: number }[] = await tx.manager.query('SELECT COUNT(*) AS total FROM admin_token');
    return Number(rows[0]?.total ?? 0);
  }

  async touch(tx: Tx, id: number, now: number): Promise<void> {
    const sql = 'UPDATE admin_token SET last_used_at = ? WHERE id = ? AND (last_used_at IS NULL OR last_used_at < ?)';
    await changedRows(tx, sql, [now, id, now]);
  }

  /** False when it was revoked before, or is not there. */
  async revoke(tx: Tx, id: number, now: number): Promise<boolean> {
    const sql = 'UPDATE admin_token SET revoked_at = ? WHERE id = ? AND revoked_at IS NULL';
    return (await changedRows(tx, sql, [now, id])) === 1;
  }

  /** Those that were revoked or have expired before `before`; what they did stays in the audit. */
  async removeEnded(tx: Tx, before: number): Promise<void> {
    await changedRows(tx, 'DELETE FROM admin_token WHERE revoked_at < ? OR expires_at < ?', [before, before]);
  }
}

function tokenFrom(raw: RawToken): AdminToken {
  return {
    ...{ id: raw.id, name: raw.name, role: raw.role, permissions: permissionsOf(raw.permissions) },
    ...{ createdBy: raw.created_by, createdAt: raw.created_at, expiresAt: raw.expires_at },
    ...{ lastUsedAt: raw.last_used_at, revokedAt: raw.revoked_at },
  };
}

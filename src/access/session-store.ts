import { Injectable } from '@nestjs/common';
import { changedRows } from '../database/changed-rows.js';
import { places } from '../database/sql-lists.js';
import type { Tx } from '../database/unit-of-work.js';
import { permissionsOf, type AdminRole, type Rights } from './admin-role.js';

/** A session and the user whose it is, by what the tables say now. */
export interface StoredSession extends Rights {
  readonly userId: number;
  readonly userName: string;
  readonly lastSeenAt: number;
  /** At the latest, however much it is used. */
  readonly expiresAt: number;
}

export interface NewSession {
  readonly idHash: string;
  readonly userId: number;
  readonly userVersion: number;
  readonly createdAt: number;
  readonly expiresAt: number;
}

interface RawSession {
  readonly user_id: number;
  readonly name: string;
  readonly role: AdminRole;
  readonly permissions: string;
  readonly last_seen_at: number;
  readonly expires_at: number;
}

const EXPIRED_MAX = 100;

/** The table of sessions, by the digests of their ids. The SQL is portable. */
@Injectable()
export class SessionStore {
  async create(tx: Tx, { idHash, userId, userVersion, createdAt, expiresAt }: NewSession): Promise<void> {
    await tx.manager.query(
      `INSERT INTO admin_session (id_hash, user_id, user_version, created_at, last_seen_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?)`,
      [idHash, userId, userVersion, createdAt, createdAt, expiresAt],
    );
  }

  /** Null for one that ended: used last before `usedSince`, too old, or of a user who was changed or disabled since. */
  async find(tx: Tx, idHash: string, now: number, usedSince: number): Promise<StoredSession | null> {
    const rows: RawSession[] = await tx.manager.query(
      `SELECT s.user_id, u.name, u.role, u.permissions, s.last_seen_at, s.expires_at
       FROM admin_session s JOIN admin_user u ON u.id = s.user_id AND u.version = s.user_version
       WHERE s.id_hash = ? AND s.expires_at > ? AND s.last_seen_at > ?`,
      [idHash, now, usedSince],
    );
    const [raw] = rows;
    if (!raw) return null;
    return {
      ...{ userId: raw.user_id, userName: raw.name, role: raw.role, permissions: permissionsOf(raw.permissions) },
      ...{ lastSeenAt: raw.last_seen_at, expiresAt: raw.expires_at },
    };
  }

  async touch(tx: Tx, idHash: string, now: number): Promise<void> {
    const sql = 'UPDATE admin_session SET last_seen_at = ? WHERE id_hash = ? AND last_seen_at < ?';
    await changedRows(tx, sql, [now, idHash, now]);
  }

  async end(tx: Tx, idHash: string): Promise<boolean> {
    return (await changedRows(tx, 'DELETE FROM admin_session WHERE id_hash = ?', [idHash])) === 1;
  }

  async endAll(tx: Tx, userId: number): Promise<number> {
    return changedRows(tx, 'DELETE FROM admin_session WHERE user_id = ?', [userId]);
  }

  /** Ends the user's oldest ones, so that at most `keep` stay. */
  async endOldest(tx: Tx, userId: number, keep: number): Promise<void> {
    const rows: { id_hash: string }[] = await tx.manager.query(
      'SELECT id_hash FROM admin_session WHERE user_id = ? ORDER BY created_at DESC LIMIT ?',
      [userId, keep + EXPIRED_MAX],
    );
    await this.remove(tx, rows.slice(keep));
  }

  /** Some of those that are too old; called at each login, so they do not pile up. */
  async removeExpired(tx: Tx, now: number): Promise<void> {
    const rows: { id_hash: string }[] = await tx.manager.query(
      'SELECT id_hash FROM admin_session WHERE expires_at <= ? ORDER BY expires_at LIMIT ?',
      [now, EXPIRED_MAX],
    );
    await this.remove(tx, rows);
  }

  private async remove(tx: Tx, rows: readonly { id_hash: string }[]): Promise<void> {
    if (rows.length === 0) return;
    const ids = rows.map(({ id_hash: id }) => id);
    await changedRows(tx, `DELETE FROM admin_session WHERE id_hash IN (${places(ids)})`, ids);
  }
}

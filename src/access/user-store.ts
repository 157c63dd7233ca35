import { Injectable } from '@nestjs/common';
import { changedRows } from '../database/changed-rows.js';
import type { Tx } from '../database/unit-of-work.js';
import { permissionsOf, permissionsText, type AdminRole, type Rights } from './admin-role.js';

export interface AdminUser extends Rights {
  readonly id: number;
  readonly name: string;
  /** PHC string of Argon2id. */
  readonly passwordHash: string;
  /** Grows with each change of password or rights; sessions of another version have ended. */
  readonly version: number;
  readonly isDisabled: boolean;
  readonly createdAt: number;
  readonly lastLoginAt: number | null;
}

export interface NewUser extends Rights {
  readonly name: string;
  readonly passwordHash: string;
  readonly createdAt: number;
  readonly createdBy: string;
}

/** What may change of a user. */
export type UserChange = Partial<Pick<AdminUser, 'role' | 'permissions' | 'passwordHash' | 'isDisabled'>>;

interface RawUser {
  readonly id: number;
  readonly name: string;
  readonly role: AdminRole;
  readonly permissions: string;
  readonly password_hash: string;
  readonly version: number;
  readonly disabled: number;
  readonly created_at: number;
  readonly last_login_at: number | null;
}

const COLUMNS = 'id, name, role, permissions, password_hash, version, disabled, created_at, last_login_at';
const ENABLED_ADMIN = "role = 'admin' AND disabled = 0";

/** The table of accounts. The SQL is portable. */
@Injectable()
export class UserStore {
  /** Rejects with the driver's duplicate-key error when the name is taken. */
  async create(tx: Tx, { name, role, permissions, passwordHash, createdAt, createdBy }: NewUser): Promise<void> {
    await tx.manager.query(
      `INSERT INTO admin_user (name, role, permissions, password_hash, version, disabled, created_at, created_by)
       VALUES (?, ?, ?, ?, 1, 0, ?, ?)`,
      [name, role, permissionsText(permissions), passwordHash, createdAt, createdBy],
    );
  }

  async byName(tx: Tx, name: string): Promise<AdminUser | null> {
    const rows: RawUser[] = await tx.manager.query(`SELECT ${COLUMNS} FROM admin_user WHERE name = ?`, [name]);
    return rows[0] ? userFrom(rows[0]) : null;
  }

  async byId(tx: Tx, id: number): Promise<AdminUser | null> {
    const rows: RawUser[] = await tx.manager.query(`SELECT ${COLUMNS} FROM admin_user WHERE id = ?`, [id]);
    return rows[0] ? userFrom(rows[0]) : null;
  }

  /** By name. */
  async list(tx: Tx, limit: number): Promise<AdminUser[]> {
    const rows: RawUser[] = await tx.manager.query(`SELECT ${COLUMNS} FROM admin_user ORDER BY name LIMIT ?`, [limit]);
    return rows.map(userFrom);
  }

  /** Changes what is given and makes it another version. False when the user is not as it was read, or gone. */
  async change(tx: Tx, { id, version }: Pick<AdminUser, 'id' | 'version'>, change: UserChange): Promise<boolean> {
    const columns: [string, unknown][] = [];
    if (change.role !== undefined) columns.push(['role', change.role]);
    if (change.permissions !== undefined) columns.push(['permissions', permissionsText(change.permissions)]);
    if (change.passwordHash !== undefined) columns.push(['password_hash', change.passwordHash]);
    if (change.isDisabled !== undefined) columns.push(['disabled', Number(change.isDisabled)]);
    const sets = ['version = version + 1', ...columns.map(([name]) => `${name} = ?`)].join(', ');
    const values = [...columns.map(([, value]) => value), id, version];
    return (await changedRows(tx, `UPDATE admin_user SET ${sets} WHERE id = ? AND version = ?`, values)) === 1;
  }

  /**
   * First statement of a login's transaction: the password that was checked is still the one, and whoever changes the
   * user waits for the session, to end it. False otherwise.
   */
  async loggedIn(tx: Tx, { id, version }: Pick<AdminUser, 'id' | 'version'>, now: number): Promise<boolean> {
    const sql = 'UPDATE admin_user SET last_login_at = ? WHERE id = ? AND version = ?';
    return (await changedRows(tx, sql, [now, id, version])) === 1;
  }

  async remove(tx: Tx, { id, version }: Pick<AdminUser, 'id' | 'version'>): Promise<boolean> {
    return (await changedRows(tx, 'DELETE FROM admin_user WHERE id = ? AND version = ?', [id, version])) === 1;
  }

  /** Holds all accounts until the commit: of two who each take the other's role away, the second one sees the first. */
  async lockAdmins(tx: Tx): Promise<void> {
    // A locking read has no portable form; an update that changes nothing takes the same locks, in order of the key.
    await changedRows(tx, 'UPDATE admin_user SET version = version WHERE id > ?', [0]);
  }

  async enabledAdmins(tx: Tx): Promise<number> {
    const rows: { total: number }[] = await tx.manager.query(
      `SELECT COUNT(*) AS total FROM admin_user WHERE ${ENABLED_ADMIN}`,
    );
    return Number(rows[0]?.total ?? 0);
  }

  async count(tx: Tx): Promise<number> {
    const rows: { total: number }[] = await tx.manager.query('SELECT COUNT(*) AS total FROM admin_user');
    return Number(rows[0]?.total ?? 0);
  }
}

function userFrom(raw: RawUser): AdminUser {
  return {
    ...{ id: raw.id, name: raw.name, role: raw.role, permissions: permissionsOf(raw.permissions) },
    ...{ passwordHash: raw.password_hash, version: raw.version, isDisabled: raw.disabled !== 0 },
    ...{ createdAt: raw.created_at, lastLoginAt: raw.last_login_at },
  };
}

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropTables, forDialect } from './for-dialect.js';
import type { MysqlColumns } from './mysql-columns.js';

/**
 * Who may use the admin API: accounts, their sessions, tokens for machines, and what limits guessing. Of sessions, tokens
 * and the link for the first account only digests are stored: whoever reads the tables cannot act with what is in them.
 */
export class CreateAccessTables1796000000004 implements MigrationInterface {
  readonly name = 'CreateAccessTables1796000000004';

  async up(runner: QueryRunner): Promise<void> {
    await forDialect(runner, { sqlite: SQLITE_UP, mysql: mysqlUp });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropTables(runner, TABLES);
  }
}

const TABLES = ['admin_setup', 'admin_login_attempt', 'admin_token', 'admin_session', 'admin_user'];

const SQLITE_UP = [
  `CREATE TABLE admin_user (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, role TEXT NOT NULL, permissions TEXT NOT NULL,
    password_hash TEXT NOT NULL, version INTEGER NOT NULL, disabled INTEGER NOT NULL, created_at INTEGER NOT NULL,
    created_by TEXT NOT NULL, last_login_at INTEGER)`,
  'CREATE UNIQUE INDEX uq_admin_user_name ON admin_user (name)',
  `CREATE TABLE admin_session (
    id_hash TEXT NOT NULL PRIMARY KEY, user_id INTEGER NOT NULL, user_version INTEGER NOT NULL,
    created_at INTEGER NOT NULL, last_seen_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID`,
  'CREATE INDEX ix_admin_session_user_id_created_at ON admin_session (user_id, created_at)',
  'CREATE INDEX ix_admin_session_expires_at ON admin_session (expires_at)',
  `CREATE TABLE admin_token (
    id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL, role TEXT NOT NULL, permissions TEXT NOT NULL,
    token_hash TEXT NOT NULL, created_by TEXT NOT NULL, created_at INTEGER NOT NULL, expires_at INTEGER,
    last_used_at INTEGER, revoked_at INTEGER)`,
  'CREATE UNIQUE INDEX uq_admin_token_token_hash ON admin_token (token_hash)',
  `CREATE TABLE admin_login_attempt (
    subject TEXT NOT NULL PRIMARY KEY, since INTEGER NOT NULL, attempts INTEGER NOT NULL,
    blocked_until INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID`,
  'CREATE INDEX ix_admin_login_attempt_expires_at ON admin_login_attempt (expires_at)',
  `CREATE TABLE admin_setup (
    token_hash TEXT NOT NULL PRIMARY KEY, created_at INTEGER NOT NULL, expires_at INTEGER NOT NULL) WITHOUT ROWID`,
];

const mysqlUp = ({ id, table }: MysqlColumns): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS admin_user (
    ${id}, name VARCHAR(128) NOT NULL, role VARCHAR(16) NOT NULL, permissions VARCHAR(255) NOT NULL,
    password_hash VARCHAR(255) NOT NULL, version INT NOT NULL, disabled TINYINT NOT NULL, created_at BIGINT NOT NULL,
    created_by VARCHAR(255) NOT NULL, last_login_at BIGINT,
    UNIQUE KEY uq_admin_user_name (name)) ${table}`,
  `CREATE TABLE IF NOT EXISTS admin_session (
    id_hash VARCHAR(64) NOT NULL PRIMARY KEY, user_id BIGINT NOT NULL, user_version INT NOT NULL,
    created_at BIGINT NOT NULL, last_seen_at BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    KEY ix_admin_session_user_id_created_at (user_id, created_at),
    KEY ix_admin_session_expires_at (expires_at)) ${table}`,
  `CREATE TABLE IF NOT EXISTS admin_token (
    ${id}, name VARCHAR(128) NOT NULL, role VARCHAR(16) NOT NULL, permissions VARCHAR(255) NOT NULL,
    token_hash VARCHAR(64) NOT NULL, created_by VARCHAR(255) NOT NULL, created_at BIGINT NOT NULL, expires_at BIGINT,
    last_used_at BIGINT, revoked_at BIGINT,
    UNIQUE KEY uq_admin_token_token_hash (token_hash)) ${table}`,
  `CREATE TABLE IF NOT EXISTS admin_login_attempt (
    subject VARCHAR(128) NOT NULL PRIMARY KEY, since BIGINT NOT NULL, attempts INT NOT NULL,
    blocked_until BIGINT NOT NULL, expires_at BIGINT NOT NULL,
    KEY ix_admin_login_attempt_expires_at (expires_at)) ${table}`,
  `CREATE TABLE IF NOT EXISTS admin_setup (
    token_hash VARCHAR(64) NOT NULL PRIMARY KEY, created_at BIGINT NOT NULL, expires_at BIGINT NOT NULL) ${table}`,
];

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropTables, forDialect } from './for-dialect.js';
import type { MysqlColumns } from './mysql-columns.js';

/**
 * Keys that differ in case or trailing blanks differ: SQLite's own collation is binary, on MySQL `mysqlColumns` names one
 * that is. `AUTOINCREMENT` keeps ids from being used twice: an operator's link must not lead to another event.
 */
export class CreateTables1796000000000 implements MigrationInterface {
  readonly name = 'CreateTables1796000000000';

  async up(runner: QueryRunner): Promise<void> {
    await forDialect(runner, { sqlite: SQLITE_UP, mysql: mysqlUp });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropTables(runner, TABLES);
  }
}

const TABLES = ['wecom_id', 'audit', 'outbox', 'entity_change', 'saga', 'event_history', 'event_log'];

const ID = 'id INTEGER PRIMARY KEY AUTOINCREMENT';

const SQLITE_UP = [
  `CREATE TABLE event_log (
    ${ID}, corp_id TEXT NOT NULL, event_type TEXT NOT NULL, msg_id_or_hash TEXT NOT NULL, app TEXT NOT NULL,
    change_type TEXT, entity_key TEXT, msg_id TEXT, create_time INTEGER, status TEXT NOT NULL,
    generation INTEGER NOT NULL, attempt INTEGER NOT NULL, run_token TEXT, lane_seq INTEGER, due_at INTEGER,
    plaintext TEXT NOT NULL, received_at INTEGER NOT NULL, facts TEXT NOT NULL, error_code TEXT, error_message TEXT,
    error_group TEXT, decided_at INTEGER NOT NULL)`,
  `CREATE UNIQUE INDEX uq_event_log_corp_id_event_type_msg_id_or_hash
    ON event_log (corp_id, event_type, msg_id_or_hash)`,
  'CREATE INDEX ix_event_log_msg_id_or_hash ON event_log (msg_id_or_hash)',
  'CREATE INDEX ix_event_log_entity_key ON event_log (entity_key)',
  'CREATE INDEX ix_event_log_msg_id ON event_log (msg_id) WHERE msg_id IS NOT NULL',
  // Waiting rows are few and asked for all the time; rows with an outcome are many and never are.
  `CREATE INDEX ix_event_log_due_at ON event_log (due_at) WHERE status IN ('RETRY', 'PARKED', 'REDRIVEN')`,
  `CREATE INDEX ix_event_log_entity_key_lane_seq ON event_log (entity_key, lane_seq)
    WHERE status IN ('RETRY', 'PARKED', 'REDRIVEN', 'DEAD')`,
  // For the purge. Partial, so that rows that wait cost nothing and no other query is led to it.
  `CREATE INDEX ix_event_log_decided_at ON event_log (decided_at)
    WHERE status IN ('APPLIED', 'STALE', 'REJECTED', 'EXPIRED', 'DISCARDED')`,
  // What the admin API searches by: lists are ordered by (received_at, id), and every index ends with the id.
  'CREATE INDEX ix_event_log_received_at ON event_log (received_at)',
  'CREATE INDEX ix_event_log_status_received_at ON event_log (status, received_at)',
  'CREATE INDEX ix_event_log_error_group_status_received_at ON event_log (error_group, status, received_at)',
  // By which of WeCom's ids an event is found. No unique key: nothing about it may ever stop an event.
  'CREATE TABLE wecom_id (value TEXT NOT NULL, name TEXT NOT NULL, event_key TEXT NOT NULL)',
  'CREATE INDEX ix_wecom_id_value_name ON wecom_id (value, name)',
  'CREATE INDEX ix_wecom_id_event_key ON wecom_id (event_key)',
  `CREATE TABLE event_history (
    ${ID}, event_key TEXT NOT NULL, at INTEGER NOT NULL, actor TEXT NOT NULL, instance TEXT NOT NULL,
    decision TEXT NOT NULL, reason TEXT NOT NULL, generation INTEGER NOT NULL, attempt INTEGER NOT NULL)`,
  'CREATE INDEX ix_event_history_event_key ON event_history (event_key)',
  `CREATE TABLE saga (
    ${ID}, receiver TEXT NOT NULL, corp_id TEXT NOT NULL, entity_type TEXT NOT NULL, entity_id TEXT NOT NULL,
    entity_key TEXT NOT NULL, state TEXT NOT NULL, version INTEGER NOT NULL, last_event_time INTEGER,
    last_rank INTEGER, unconfirmed INTEGER NOT NULL, tombstone INTEGER NOT NULL)`,
  `CREATE UNIQUE INDEX uq_saga_receiver_corp_id_entity_type_entity_id
    ON saga (receiver, corp_id, entity_type, entity_id)`,
  'CREATE INDEX ix_saga_entity_key ON saga (entity_key)',
  `CREATE TABLE entity_change (
    ${ID}, entity_key TEXT NOT NULL, event_key TEXT NOT NULL, from_state TEXT NOT NULL, to_state TEXT NOT NULL,
    create_time INTEGER, event_rank INTEGER NOT NULL, at INTEGER NOT NULL)`,
  'CREATE INDEX ix_entity_change_entity_key ON entity_change (entity_key)',
  `CREATE TABLE outbox (
    ${ID}, idempotency_key TEXT NOT NULL, event_key TEXT NOT NULL, command TEXT NOT NULL, status TEXT NOT NULL,
    attempt INTEGER NOT NULL, due_at INTEGER NOT NULL, error_message TEXT)`,
  'CREATE UNIQUE INDEX uq_outbox_idempotency_key ON outbox (idempotency_key)',
  'CREATE INDEX ix_outbox_status_due_at ON outbox (status, due_at)',
  `CREATE TABLE audit (
    ${ID}, at INTEGER NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL, target TEXT NOT NULL, detail TEXT NOT NULL)`,
  'CREATE INDEX ix_audit_target ON audit (target)',
  'CREATE INDEX ix_audit_actor ON audit (actor)',
];

// MySQL has no partial indexes. An index on a generated column that is NULL once the row has an outcome comes to the same:
// the rows with an outcome lie together at its end, and no search ever reads them. Rows with an outcome have no `due_at`.
const WAITING_KEY = `waiting_key VARCHAR(512) GENERATED ALWAYS AS (
    CASE WHEN status IN ('RETRY', 'PARKED', 'REDRIVEN', 'DEAD') THEN entity_key END) STORED`;

const mysqlUp = ({ id, table }: MysqlColumns): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS event_log (
    ${id}, corp_id VARCHAR(64) NOT NULL, event_type VARCHAR(128) NOT NULL, msg_id_or_hash VARCHAR(64) NOT NULL,
    app VARCHAR(64) NOT NULL, change_type VARCHAR(128), entity_key VARCHAR(512), msg_id VARCHAR(128),
    create_time BIGINT, status VARCHAR(16) NOT NULL, generation INT NOT NULL, attempt INT NOT NULL,
    run_token VARCHAR(64), lane_seq INT, due_at BIGINT, plaintext MEDIUMTEXT NOT NULL, received_at BIGINT NOT NULL,
    facts MEDIUMTEXT NOT NULL, error_code VARCHAR(64), error_message MEDIUMTEXT, error_group VARCHAR(64), decided_at BIGINT NOT NULL,
    ${WAITING_KEY},
    UNIQUE KEY uq_event_log_corp_id_event_type_msg_id_or_hash (corp_id, event_type, msg_id_or_hash),
    KEY ix_event_log_msg_id_or_hash (msg_id_or_hash),
    KEY ix_event_log_entity_key (entity_key),
    KEY ix_event_log_msg_id (msg_id),
    KEY ix_event_log_due_at (due_at),
    KEY ix_event_log_decided_at (decided_at, status),
    KEY ix_event_log_received_at (received_at),
    KEY ix_event_log_status_received_at (status, received_at),
    KEY ix_event_log_error_group_status_received_at (error_group, status, received_at),
    KEY ix_event_log_waiting_key_lane_seq (waiting_key, lane_seq)) ${table}`,
  `CREATE TABLE IF NOT EXISTS wecom_id (
    ${id}, value VARCHAR(128) NOT NULL, name VARCHAR(32) NOT NULL, event_key VARCHAR(64) NOT NULL,
    KEY ix_wecom_id_value_name (value, name),
    KEY ix_wecom_id_event_key (event_key)) ${table}`,
  `CREATE TABLE IF NOT EXISTS event_history (
    ${id}, event_key VARCHAR(64) NOT NULL, at BIGINT NOT NULL, actor VARCHAR(255) NOT NULL,
    instance VARCHAR(255) NOT NULL, decision VARCHAR(16) NOT NULL, reason MEDIUMTEXT NOT NULL, generation INT NOT NULL,
    attempt INT NOT NULL,
    KEY ix_event_history_event_key (event_key)) ${table}`,
  `CREATE TABLE IF NOT EXISTS saga (
    ${id}, receiver VARCHAR(64) NOT NULL, corp_id VARCHAR(64) NOT NULL, entity_type VARCHAR(64) NOT NULL,
    entity_id VARCHAR(384) NOT NULL, entity_key VARCHAR(512) NOT NULL, state VARCHAR(255) NOT NULL, version INT NOT NULL,
    last_event_time BIGINT, last_rank INT, unconfirmed TINYINT NOT NULL, tombstone TINYINT NOT NULL,
    UNIQUE KEY uq_saga_receiver_corp_id_entity_type_entity_id (receiver, corp_id, entity_type, entity_id),
    KEY ix_saga_entity_key (entity_key)) ${table}`,
  `CREATE TABLE IF NOT EXISTS entity_change (
    ${id}, entity_key VARCHAR(512) NOT NULL, event_key VARCHAR(64) NOT NULL, from_state VARCHAR(255) NOT NULL,
    to_state VARCHAR(255) NOT NULL, create_time BIGINT, event_rank INT NOT NULL, at BIGINT NOT NULL,
    KEY ix_entity_change_entity_key (entity_key)) ${table}`,
  `CREATE TABLE IF NOT EXISTS outbox (
    ${id}, idempotency_key VARCHAR(255) NOT NULL, event_key VARCHAR(64) NOT NULL, command MEDIUMTEXT NOT NULL,
    status VARCHAR(16) NOT NULL, attempt INT NOT NULL, due_at BIGINT NOT NULL, error_message MEDIUMTEXT,
    UNIQUE KEY uq_outbox_idempotency_key (idempotency_key),
    KEY ix_outbox_status_due_at (status, due_at)) ${table}`,
  `CREATE TABLE IF NOT EXISTS audit (
    ${id}, at BIGINT NOT NULL, actor VARCHAR(255) NOT NULL, action VARCHAR(64) NOT NULL, target VARCHAR(255) NOT NULL,
    detail MEDIUMTEXT NOT NULL,
    KEY ix_audit_target (target),
    KEY ix_audit_actor (actor)) ${table}`,
];

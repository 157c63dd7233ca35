import type { MigrationInterface, QueryRunner } from 'typeorm';

/**
 * SQLite's own collation is binary, so keys that differ in case or trailing blanks differ. `AUTOINCREMENT` keeps ids from
 * being used twice: an operator's link must not lead to another event.
 */
export class CreateTables1796000000000 implements MigrationInterface {
  readonly name = 'CreateTables1796000000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const statement of UP) await runner.query(statement);
  }

  async down(runner: QueryRunner): Promise<void> {
    const tables = ['audit', 'outbox', 'entity_change', 'saga', 'event_history', 'event_log'];
    for (const table of tables) await runner.query(`DROP TABLE ${table}`);
  }
}

const ID = 'id INTEGER PRIMARY KEY AUTOINCREMENT';

const UP = [
  `CREATE TABLE event_log (
    ${ID}, corp_id TEXT NOT NULL, event_type TEXT NOT NULL, msg_id_or_hash TEXT NOT NULL, app TEXT NOT NULL,
    change_type TEXT, entity_key TEXT, msg_id TEXT, create_time INTEGER, status TEXT NOT NULL,
    generation INTEGER NOT NULL, attempt INTEGER NOT NULL, run_token TEXT, lane_seq INTEGER, due_at INTEGER,
    plaintext TEXT NOT NULL, received_at INTEGER NOT NULL, facts TEXT NOT NULL, error_code TEXT, error_message TEXT,
    decided_at INTEGER NOT NULL)`,
  `CREATE UNIQUE INDEX uq_event_log_corp_id_event_type_msg_id_or_hash
    ON event_log (corp_id, event_type, msg_id_or_hash)`,
  'CREATE INDEX ix_event_log_msg_id_or_hash ON event_log (msg_id_or_hash)',
  'CREATE INDEX ix_event_log_entity_key ON event_log (entity_key)',
  'CREATE INDEX ix_event_log_msg_id ON event_log (msg_id) WHERE msg_id IS NOT NULL',
  // Waiting rows are few and asked for all the time; rows with an outcome are many and never are.
  `CREATE INDEX ix_event_log_due_at ON event_log (due_at) WHERE status IN ('RETRY', 'PARKED', 'REDRIVEN')`,
  `CREATE INDEX ix_event_log_entity_key_lane_seq ON event_log (entity_key, lane_seq)
    WHERE status IN ('RETRY', 'PARKED', 'REDRIVEN', 'DEAD')`,
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
];

import type { MigrationInterface, QueryRunner } from 'typeorm';
import { forDialect } from './for-dialect.js';

/**
 * What the admin API searches by. Lists are ordered by (received_at, id), which each index ends with: on both databases
 * a secondary index holds the primary key behind its columns.
 */
export class IndexEvents1796000030000 implements MigrationInterface {
  readonly name = 'IndexEvents1796000030000';

  async up(runner: QueryRunner): Promise<void> {
    await forDialect(runner, { sqlite: [...SQLITE, ...INDEXES], mysql: [...MYSQL, ...INDEXES] });
  }

  async down(runner: QueryRunner): Promise<void> {
    await forDialect(runner, {
      sqlite: [...NAMES.map(([index]) => `DROP INDEX ${index}`), ...DOWN],
      mysql: [...NAMES.map(([index, table]) => `DROP INDEX ${index} ON ${table}`), ...DOWN],
    });
  }
}

const SQLITE = [
  'ALTER TABLE event_log ADD COLUMN error_group TEXT',
  `CREATE TABLE wecom_id (
    value TEXT NOT NULL, name TEXT NOT NULL, event_key TEXT NOT NULL, PRIMARY KEY (value, name, event_key))
    WITHOUT ROWID`,
];

// Ids of WeCom differ in letter case alone, so the comparison has to be binary.
const MYSQL = [
  'ALTER TABLE event_log ADD COLUMN error_group VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NULL',
  `CREATE TABLE wecom_id (
    value VARCHAR(128) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    name VARCHAR(32) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    event_key VARCHAR(64) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    PRIMARY KEY (value, name, event_key)) ENGINE = InnoDB`,
];

const NAMES = [
  ['ix_event_log_received_at', 'event_log'],
  ['ix_event_log_status_received_at', 'event_log'],
  ['ix_event_log_error_group_status_received_at', 'event_log'],
  ['ix_wecom_id_event_key', 'wecom_id'],
] as const;

const INDEXES = [
  'CREATE INDEX ix_event_log_received_at ON event_log (received_at)',
  'CREATE INDEX ix_event_log_status_received_at ON event_log (status, received_at)',
  'CREATE INDEX ix_event_log_error_group_status_received_at ON event_log (error_group, status, received_at)',
  // For the purge, which knows events and not their ids.
  'CREATE INDEX ix_wecom_id_event_key ON wecom_id (event_key)',
];

const DOWN = ['DROP TABLE wecom_id', 'ALTER TABLE event_log DROP COLUMN error_group'];

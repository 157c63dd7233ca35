import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropTables, forDialect } from './for-dialect.js';
import type { MysqlColumns } from './mysql-columns.js';

/** Business tables of the built-in handlers. */
export class CreateBusinessTables1796000000001 implements MigrationInterface {
  readonly name = 'CreateBusinessTables1796000000001';

  async up(runner: QueryRunner): Promise<void> {
    await forDialect(runner, { sqlite: SQLITE_UP, mysql: mysqlUp });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropTables(runner, TABLES);
  }
}

const TABLES = ['customer_group_member', 'customer_group', 'customer_relation', 'approval_order'];

const SQLITE_UP = [
  `CREATE TABLE approval_order (
    entity_key TEXT NOT NULL PRIMARY KEY, sp_no TEXT NOT NULL, sp_name TEXT NOT NULL, template_id TEXT NOT NULL,
    applyer_user_id TEXT NOT NULL, status TEXT NOT NULL, effect_count INTEGER NOT NULL)`,
  `CREATE TABLE customer_relation (
    entity_key TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL, external_user_id TEXT NOT NULL, status TEXT NOT NULL,
    add_state TEXT NOT NULL, effect_count INTEGER NOT NULL)`,
  `CREATE TABLE customer_group (
    entity_key TEXT NOT NULL PRIMARY KEY, chat_id TEXT NOT NULL, status TEXT NOT NULL, member_version TEXT NOT NULL,
    members_incomplete INTEGER NOT NULL, effect_count INTEGER NOT NULL)`,
  `CREATE TABLE customer_group_member (
    entity_key TEXT NOT NULL, member_id TEXT NOT NULL, joined_at INTEGER, PRIMARY KEY (entity_key, member_id))`,
];

const mysqlUp = ({ table }: MysqlColumns): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS approval_order (
    entity_key VARCHAR(512) NOT NULL PRIMARY KEY, sp_no VARCHAR(255) NOT NULL, sp_name TEXT NOT NULL,
    template_id VARCHAR(255) NOT NULL, applyer_user_id VARCHAR(255) NOT NULL, status VARCHAR(64) NOT NULL,
    effect_count INT NOT NULL) ${table}`,
  `CREATE TABLE IF NOT EXISTS customer_relation (
    entity_key VARCHAR(512) NOT NULL PRIMARY KEY, user_id VARCHAR(255) NOT NULL, external_user_id VARCHAR(255) NOT NULL,
    status VARCHAR(64) NOT NULL, add_state TEXT NOT NULL, effect_count INT NOT NULL) ${table}`,
  `CREATE TABLE IF NOT EXISTS customer_group (
    entity_key VARCHAR(512) NOT NULL PRIMARY KEY, chat_id VARCHAR(255) NOT NULL, status VARCHAR(64) NOT NULL,
    member_version VARCHAR(255) NOT NULL, members_incomplete TINYINT NOT NULL, effect_count INT NOT NULL) ${table}`,
  `CREATE TABLE IF NOT EXISTS customer_group_member (
    entity_key VARCHAR(512) NOT NULL, member_id VARCHAR(128) NOT NULL, joined_at BIGINT,
    PRIMARY KEY (entity_key, member_id)) ${table}`,
];

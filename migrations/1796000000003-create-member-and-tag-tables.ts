import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropTables, forDialect } from './for-dialect.js';
import type { MysqlColumns } from './mysql-columns.js';

/** Business tables of the handlers of members and customer tags. */
export class CreateMemberAndTagTables1796000000003 implements MigrationInterface {
  readonly name = 'CreateMemberAndTagTables1796000000003';

  async up(runner: QueryRunner): Promise<void> {
    await forDialect(runner, { sqlite: SQLITE_UP, mysql: mysqlUp });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropTables(runner, TABLES);
  }
}

const TABLES = ['customer_tag', 'member'];

const SQLITE_UP = [
  `CREATE TABLE member (
    entity_key TEXT NOT NULL PRIMARY KEY, user_id TEXT NOT NULL, status TEXT NOT NULL, renamed_to TEXT, name TEXT,
    department TEXT, main_department TEXT, wecom_status TEXT, incarnation INTEGER NOT NULL,
    effect_count INTEGER NOT NULL)`,
  `CREATE TABLE customer_tag (
    entity_key TEXT NOT NULL PRIMARY KEY, tag_type TEXT NOT NULL, tag_id TEXT NOT NULL, strategy_id TEXT NOT NULL,
    status TEXT NOT NULL, shuffle_count INTEGER NOT NULL, effect_count INTEGER NOT NULL)`,
];

const mysqlUp = ({ table }: MysqlColumns): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS member (
    entity_key VARCHAR(512) NOT NULL PRIMARY KEY, user_id VARCHAR(255) NOT NULL, status VARCHAR(64) NOT NULL,
    renamed_to VARCHAR(255), name TEXT, department TEXT, main_department VARCHAR(255), wecom_status VARCHAR(64),
    incarnation INT NOT NULL, effect_count INT NOT NULL) ${table}`,
  `CREATE TABLE IF NOT EXISTS customer_tag (
    entity_key VARCHAR(512) NOT NULL PRIMARY KEY, tag_type VARCHAR(64) NOT NULL, tag_id VARCHAR(255) NOT NULL,
    strategy_id VARCHAR(255) NOT NULL, status VARCHAR(64) NOT NULL, shuffle_count INT NOT NULL,
    effect_count INT NOT NULL) ${table}`,
];

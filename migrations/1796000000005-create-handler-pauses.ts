import type { MigrationInterface, QueryRunner } from 'typeorm';
import { dropTables, forDialect } from './for-dialect.js';
import type { MysqlColumns } from './mysql-columns.js';

/** The handlers that operators have paused, one row each; who resumes one deletes its row. */
export class CreateHandlerPauses1796000000005 implements MigrationInterface {
  readonly name = 'CreateHandlerPauses1796000000005';

  async up(runner: QueryRunner): Promise<void> {
    await forDialect(runner, { sqlite: SQLITE_UP, mysql: mysqlUp });
  }

  async down(runner: QueryRunner): Promise<void> {
    await dropTables(runner, ['handler_pause']);
  }
}

const SQLITE_UP = [
  `CREATE TABLE handler_pause (
    handler TEXT NOT NULL PRIMARY KEY, paused_at INTEGER NOT NULL, actor TEXT NOT NULL, reason TEXT NOT NULL)
    WITHOUT ROWID`,
];

const mysqlUp = ({ table }: MysqlColumns): readonly string[] => [
  `CREATE TABLE IF NOT EXISTS handler_pause (
    handler VARCHAR(255) NOT NULL PRIMARY KEY, paused_at BIGINT NOT NULL, actor VARCHAR(255) NOT NULL,
    reason MEDIUMTEXT NOT NULL) ${table}`,
];

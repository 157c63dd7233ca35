import type { QueryRunner } from 'typeorm';
import { mysqlColumns, type MysqlColumns } from './mysql-columns.js';

/**
 * The same change in the SQL of each database; `mysql` is for MariaDB too. These end a transaction at each CREATE or
 * DROP, so a change that is cut off stays half done: write its statements so that they can be repeated.
 */
export interface Statements {
  readonly sqlite: readonly string[];
  readonly mysql: readonly string[] | ((columns: MysqlColumns) => readonly string[]);
}

/** Runs the statements of the database that the runner is connected to. One history of migrations serves all. */
export async function forDialect(runner: QueryRunner, { sqlite, mysql }: Statements): Promise<void> {
  const isSqlite = runner.connection.options.type === 'better-sqlite3';
  const statements = isSqlite ? sqlite : typeof mysql === 'function' ? mysql(await mysqlColumns(runner)) : mysql;
  for (const statement of statements) await runner.query(statement);
}

/** Takes tables back. On MySQL a change that was cut off may have made only some of them. */
export function dropTables(runner: QueryRunner, tables: readonly string[]): Promise<void> {
  return forDialect(runner, {
    sqlite: tables.map((table) => `DROP TABLE ${table}`),
    mysql: tables.map((table) => `DROP TABLE IF EXISTS ${table}`),
  });
}

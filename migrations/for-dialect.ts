import type { QueryRunner } from 'typeorm';

/** The same change in the SQL of each database; `mysql` is for MariaDB too. */
export interface Statements {
  readonly sqlite: readonly string[];
  readonly mysql: readonly string[];
}

/** Runs the statements of the database that the runner is connected to. One history of migrations serves all. */
export async function forDialect(runner: QueryRunner, statements: Statements): Promise<void> {
  const isSqlite = runner.connection.options.type === 'better-sqlite3';
  for (const statement of isSqlite ? statements.sqlite : statements.mysql) await runner.query(statement);
}

import type { QueryRunner } from 'typeorm';

/** Pieces of DDL that MySQL and MariaDB, or the tables of one of them, have in common. */
export interface MysqlColumns {
  /** What follows the closing bracket of a CREATE TABLE. */
  readonly table: string;
  /** Ids grow and are never given twice; both servers keep the counter through a restart. */
  readonly id: string;
}

/**
 * Keys must differ in case and in trailing blanks. The default collations merge `wmAbC` with `wmabc`; `utf8mb4_bin` still
 * merges `x` with `x ` (PAD SPACE), and VARBINARY comes back as bytes. The collation that is binary without padding has
 * another name on each server, so the server is asked.
 */
export async function mysqlColumns(runner: QueryRunner): Promise<MysqlColumns> {
  const rows = (await runner.query('SELECT VERSION() AS version')) as { version: string }[];
  const isMariaDb = /mariadb/i.test(rows[0]?.version ?? '');
  const collation = isMariaDb ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';
  return {
    table: `ENGINE=InnoDB DEFAULT CHARSET=utf8mb4 COLLATE=${collation}`,
    id: 'id BIGINT NOT NULL AUTO_INCREMENT PRIMARY KEY',
  };
}

import type { EntityManager } from 'typeorm';
import { partsOf, tuples } from './sql-lists.js';

export interface UpsertTarget {
  readonly table: string;
  readonly key: string;
  /** The columns of a new row, the key among them; a row's values come in this order. */
  readonly columns: readonly string[];
  /**
   * What becomes of a column where the key is there already. `{name}` is the value that was to be inserted, a bare name
   * what the row holds.
   */
  readonly set: Readonly<Record<string, string>>;
}

/**
 * Inserts rows, or changes those that are there: a few statements for many rows. For rows that belong to one entity each,
 * whose entity row the transaction holds: two transactions that insert one key this way would deadlock.
 */
export async function upsertRows(
  manager: EntityManager,
  { table, key, columns, set }: UpsertTarget,
  rows: readonly (readonly unknown[])[],
): Promise<void> {
  const isSqlite = manager.dataSource.options.type === 'better-sqlite3';
  const given = isSqlite ? 'excluded.$1' : 'VALUES($1)';
  const changes = Object.entries(set).map(([column, to]) => `${column} = ${to.replace(/\{(\w+)\}/g, given)}`);
  const onConflict = isSqlite ? `ON CONFLICT (${key}) DO UPDATE SET` : 'ON DUPLICATE KEY UPDATE';
  for (const part of partsOf(rows)) {
    await manager.query(
      `INSERT INTO ${table} (${columns.join(', ')}) VALUES ${tuples(part.length, columns.length)}
       ${onConflict} ${changes.join(', ')}`,
      part.flat(),
    );
  }
}

import type { Tx } from './unit-of-work.js';

/** Runs one UPDATE or DELETE and tells how many rows it changed: a compare-and-set without the count decides nothing. */
export async function changedRows(tx: Tx, sql: string, values: readonly unknown[]): Promise<number> {
  const runner = tx.manager.queryRunner;
  if (!runner) throw new Error('a write outside a transaction');
  const result = await runner.query(sql, [...values], true);
  return result.affected ?? 0;
}

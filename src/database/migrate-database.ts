import { MigrationExecutor, type DataSource, type QueryRunner } from 'typeorm';
import { schemaState, type SchemaState } from './schema-state.js';

export type MigrateAction = 'up' | 'down' | 'status';

export interface MigrateResult extends SchemaState {
  /** What this call ran, or took back. */
  readonly moved: readonly string[];
}

/** Moves the schema of a connected data source and closes it. `lock` keeps other processes out for as long as the connection lives. */
export async function migrateDatabase(
  source: DataSource,
  action: MigrateAction,
  lock: (runner: QueryRunner) => Promise<void> = async () => undefined,
): Promise<MigrateResult> {
  const runner = source.createQueryRunner();
  try {
    if (action !== 'status') await lock(runner);
    const before = await schemaState(source, runner);
    if (action !== 'status') await move(source, runner, action);
    const after = await schemaState(source, runner);
    const [from, to] = action === 'down' ? [after, before] : [before, after];
    return { ...after, moved: to.done.filter((name) => !from.done.includes(name)) };
  } finally {
    // The connection's end is the lock's.
    await runner.release();
    await source.destroy();
  }
}

async function move(source: DataSource, runner: QueryRunner, action: 'up' | 'down'): Promise<void> {
  const executor = new MigrationExecutor(source, runner);
  executor.transaction = 'each';
  if (action === 'up') await executor.executePendingMigrations();
  else await executor.undoLastMigration();
}

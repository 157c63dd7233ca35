import type { DataSource, QueryRunner } from 'typeorm';

/** Migrations by their names, in the order in which they run. */
export interface SchemaState {
  readonly done: readonly string[];
  readonly pending: readonly string[];
  /** Run by a newer version, or by a version with other handlers. */
  readonly unknown: readonly string[];
}

/** The database has not seen all migrations of this version; running on it would fail in the middle of an event. */
export class SchemaBehindError extends Error {
  readonly code = 'SCHEMA_BEHIND';

  constructor(readonly pending: readonly string[]) {
    super(`the database lacks ${pending.length} migrations (${pending.join(', ')}): run them with npm run migrate`);
    this.name = 'SchemaBehindError';
  }
}

/** TypeORM's own way to tell would create its table, for which the service's account needs no right. */
export async function schemaState(source: DataSource, runner: QueryRunner): Promise<SchemaState> {
  const known = source.migrations.map((migration) => migration.name ?? migration.constructor.name);
  const table = source.options.migrationsTableName ?? 'migrations';
  const rows: unknown = (await runner.hasTable(table))
    ? await runner.query(`SELECT name FROM ${table} ORDER BY id`)
    : [];
  const ran = (rows as readonly { name: string }[]).map(({ name }) => name);
  return {
    done: known.filter((name) => ran.includes(name)),
    pending: known.filter((name) => !ran.includes(name)),
    unknown: ran.filter((name) => !known.includes(name)),
  };
}

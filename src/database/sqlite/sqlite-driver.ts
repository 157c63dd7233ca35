import { DatabaseSync, enhance } from '@photostructure/sqlite';
import type { DataSource } from 'typeorm';

type Enhanced = ReturnType<typeof opened>;

interface Options {
  readonly readonly?: boolean;
  readonly timeout?: number;
}

// TypeORM prepares each statement anew; preparing costs more than running most of ours.
const STATEMENTS_MAX = 256;

/**
 * What TypeORM's `better-sqlite3` type expects of its driver, on @photostructure/sqlite: binaries come inside the npm
 * package, so an install needs neither a compiler nor a download from elsewhere.
 */
export class SqliteDriver {
  private readonly database: Enhanced;
  private readonly statements = new Map<string, SqliteStatement>();

  constructor(path: string, options: Options = {}) {
    this.database = opened(path, options);
  }

  prepare(sql: string): SqliteStatement {
    const known = this.statements.get(sql);
    if (known) return known;
    const statement = new SqliteStatement(this.database, sql);
    if (this.statements.size >= STATEMENTS_MAX) this.statements.clear();
    this.statements.set(sql, statement);
    return statement;
  }

  /** Whether a transaction is open: the only one who knows is SQLite. */
  get isTransaction(): boolean {
    return this.database.isTransaction;
  }

  exec(sql: string): void {
    this.database.exec(sql);
  }

  pragma(source: string): unknown {
    return this.database.pragma(source);
  }

  close(): void {
    this.statements.clear();
    this.database.close();
  }
}

/** The connection of a data source whose driver is this class. */
export function connectionOf(source: DataSource): SqliteDriver {
  return (source.driver as unknown as { databaseConnection: SqliteDriver }).databaseConnection;
}

function opened(path: string, { readonly = false, timeout = 5_000 }: Options) {
  return enhance(new DatabaseSync(path, { readOnly: readonly, timeout }));
}

type Value = string | number | bigint | null | Uint8Array;

class SqliteStatement {
  /** TypeORM asks this to tell rows from a count of changes. */
  readonly reader: boolean;
  private readonly statement: ReturnType<Enhanced['prepare']>;

  constructor(database: Enhanced, sql: string) {
    this.statement = database.prepare(sql);
    this.reader = this.statement.columns().length > 0;
  }

  run(...values: Value[]): { changes: number | bigint; lastInsertRowid: number | bigint } {
    return this.statement.run(...values.map(storable));
  }

  all(...values: Value[]): unknown[] {
    return this.statement.all(...values.map(storable));
  }
}

/**
 * SQLite has no boolean, and the driver refuses one. It also cuts a text at its first NUL without a word; as bytes all
 * of it is kept, and read back as bytes.
 */
function storable(value: unknown): Value {
  if (typeof value === 'boolean') return value ? 1 : 0;
  if (typeof value === 'string' && value.includes('\0')) return Buffer.from(value, 'utf8');
  return value as Value;
}

import type { TableSchema } from './schema.js';
import type { Data } from './sql-expression.js';
import type { Transaction } from './transaction.js';

/** One row: what is committed, and what the transaction that holds its lock has made of it. */
export class Row {
  /** Null before the insert is committed and after a deletion. */
  committed: Data | null = null;
  /** What the owner has written; undefined while it only holds the lock. */
  written: Data | null | undefined = undefined;
  owner: Transaction | null = null;
  waiting: Transaction[] = [];

  constructor(
    readonly table: Table,
    readonly id: number,
  ) {}

  seenBy(transaction: Transaction | null): Data | null {
    return transaction !== null && this.owner === transaction && this.written !== undefined
      ? this.written
      : this.committed;
  }
}

export class Table {
  readonly rows = new Map<number, Row>();
  readonly keys: Map<string, Row>[];
  private idNext = 1;

  constructor(
    readonly name: string,
    readonly schema: TableSchema,
  ) {
    this.keys = schema.unique.map(() => new Map<string, Row>());
  }

  /** An id is used up also by an insert that is rolled back, as in InnoDB. */
  takeId(): number {
    this.idNext += 1;
    return this.idNext - 1;
  }

  keyOf(index: number, data: Data): string {
    const columns = this.schema.unique[index] ?? [];
    return columns.map((column) => `${String(data[column])}`).join('\u0000');
  }

  add(row: Row, data: Data): void {
    this.rows.set(row.id, row);
    this.keys.forEach((keys, index) => keys.set(this.keyOf(index, data), row));
  }

  remove(row: Row, data: Data): void {
    this.rows.delete(row.id);
    this.keys.forEach((keys, index) => keys.delete(this.keyOf(index, data)));
  }

  /** The row as it is stored, with the columns that the server works out. */
  complete(data: Data): Data {
    return this.schema.generated ? { ...data, ...this.schema.generated(data) } : data;
  }
}

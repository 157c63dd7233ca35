import type { Data } from './sql-expression.js';
import type { Row } from './table.js';

export interface Change {
  readonly table: string;
  readonly before: Data | null;
  readonly after: Data | null;
}

/** Thrown inside of a statement that has to wait; it is run again once the lock may be free. */
export class Blocked extends Error {
  constructor(readonly row: Row) {
    super('blocked');
  }
}

interface Undo {
  readonly row: Row;
  readonly written: Data | null | undefined;
  readonly isInsert: boolean;
}

/** One open transaction on the server, at READ COMMITTED with row locks. It knows nothing of its client. */
export class Transaction {
  isOpen = true;
  waitsFor: Row | null = null;
  private readonly locked = new Set<Row>();
  private undo: Undo[] = [];

  constructor(
    readonly name: string,
    private readonly onUnlocked: (row: Row) => void,
  ) {}

  get savePoint(): number {
    return this.undo.length;
  }

  /** Throws `Blocked` while another transaction holds the row. */
  lock(row: Row): void {
    if (row.owner !== null && row.owner !== this) throw new Blocked(row);
    row.owner = this;
    this.locked.add(row);
  }

  canLock(row: Row): boolean {
    return row.owner === null || row.owner === this;
  }

  holds(row: Row): boolean {
    return row.owner === this;
  }

  /** READ COMMITTED gives back at once what a statement locked and found not to be meant. */
  unlock(row: Row): void {
    if (row.owner !== this || row.written !== undefined) throw new Error('this lock stays to the end');
    row.owner = null;
    this.locked.delete(row);
    this.onUnlocked(row);
  }

  /** The row must be locked. */
  write(row: Row, data: Data | null, isInsert = false): void {
    this.undo.push({ row, written: row.written, isInsert });
    row.written = data === null ? null : row.table.complete(data);
    if (isInsert && row.written !== null) row.table.add(row, row.written);
  }

  /** A statement that fails or waits leaves nothing behind but its locks. */
  undoTo(savePoint: number): void {
    for (const { row, written, isInsert } of this.undo.splice(savePoint).reverse()) {
      if (isInsert && row.written) row.table.remove(row, row.written);
      row.written = written;
    }
  }

  /** What the commit changes, each row once, in the order in which they were first written. */
  changes(): Change[] {
    const rows = new Set(this.undo.map(({ row }) => row));
    return [...rows].flatMap((row) => {
      const after = row.written ?? null;
      if (after === null && row.committed === null) return [];
      return [{ table: row.table.name, before: row.committed, after }];
    });
  }

  commit(): void {
    for (const { row } of this.undo) {
      if (row.written === undefined) continue;
      const before = row.committed;
      row.committed = row.written;
      row.written = undefined;
      if (row.committed === null && before !== null) row.table.remove(row, before);
    }
    this.end();
  }

  rollBack(): void {
    this.undoTo(0);
    this.end();
  }

  private end(): void {
    this.isOpen = false;
    this.waitsFor = null;
    this.undo = [];
    for (const row of this.locked) {
      row.owner = null;
      row.written = undefined;
      this.onUnlocked(row);
    }
    this.locked.clear();
  }
}

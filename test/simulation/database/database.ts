import { Execution, type Executed } from './execute.js';
import { SCHEMA } from './schema.js';
import { ConnectionError, deadlock, lockTimeout } from './sql-error.js';
import type { Data, Value } from './sql-expression.js';
import { parseSql, type Statement } from './sql-parser.js';
import { Row, Table } from './table.js';
import { Blocked, Transaction, type Change } from './transaction.js';

export type Answer = { readonly ok: Executed } | { readonly error: Error };

export interface DatabaseTimes {
  /** Runs something a little later; the database has no clock of its own. */
  later(ms: number, act: () => void): void;
  readonly lockWaitMs: number;
}

interface Waiting {
  readonly transaction: Transaction;
  readonly retry: () => void;
  readonly fail: (error: Error) => void;
}

/** The server: tables, row locks, and transactions at READ COMMITTED that run side by side. */
export class Database {
  readonly tables = new Map(Object.entries(SCHEMA).map(([name, schema]) => [name, new Table(name, schema)]));
  readonly onCommit: ((changes: readonly Change[], transaction: Transaction) => void)[] = [];
  deadlocks = 0;
  lockTimeouts = 0;
  private readonly waiting = new Map<Transaction, Waiting>();

  constructor(private readonly times: DatabaseTimes) {}

  begin(name: string): Transaction {
    return new Transaction(name, (row) => this.wake(row));
  }

  /** `answer` comes when the statement has ended: at once, or after the locks that it waits for. */
  execute(
    transaction: Transaction | null,
    sql: string,
    values: readonly Value[],
    answer: (answer: Answer) => void,
  ): void {
    const statement = parseSql(sql);
    if (transaction !== null && !transaction.isOpen)
      return answer({ error: new ConnectionError('PROTOCOL_CONNECTION_LOST') });
    this.attempt(transaction, statement, values, answer);
  }

  commit(transaction: Transaction): void {
    const changes = transaction.changes();
    transaction.commit();
    for (const told of this.onCommit) told(changes, transaction);
  }

  /** By the client, by the server, or because the client is gone. */
  rollBack(transaction: Transaction): void {
    if (!transaction.isOpen) return;
    this.waiting.delete(transaction);
    transaction.rollBack();
  }

  /** What is committed. */
  rows(table: string): Data[] {
    const rows = [...(this.tables.get(table)?.rows.values() ?? [])];
    return rows.flatMap(({ committed }) => (committed === null ? [] : [committed]));
  }

  /** The first committed row with this value; no copy of the others is made. */
  find(table: string, column: string, value: Value): Data | undefined {
    for (const { committed } of this.tables.get(table)?.rows.values() ?? [])
      if (committed !== null && committed[column] === value) return committed;
    return undefined;
  }

  private attempt(
    transaction: Transaction | null,
    statement: Statement,
    values: readonly Value[],
    answer: (answer: Answer) => void,
  ): void {
    const savePoint = transaction?.savePoint ?? 0;
    try {
      answer({ ok: new Execution(this.tables, transaction).run(statement, values) });
    } catch (error) {
      transaction?.undoTo(savePoint);
      if (!(error instanceof Blocked) || transaction === null) return answer({ error: error as Error });
      const fail = (cause: Error): void => answer({ error: cause });
      this.wait(error.row, { transaction, retry: () => this.attempt(transaction, statement, values, answer), fail });
    }
  }

  private wait(row: Row, waiting: Waiting): void {
    const { transaction } = waiting;
    transaction.waitsFor = row;
    row.waiting.push(transaction);
    this.waiting.set(transaction, waiting);
    if (isInCircle(transaction)) {
      this.deadlocks += 1;
      this.waiting.delete(transaction);
      this.rollBack(transaction);
      waiting.fail(deadlock());
      return;
    }
    this.times.later(this.times.lockWaitMs, () => {
      if (this.waiting.get(transaction) !== waiting) return;
      this.lockTimeouts += 1;
      this.waiting.delete(transaction);
      transaction.waitsFor = null;
      waiting.fail(lockTimeout());
    });
  }

  /** Whoever waited tries again, in an order that the world decides. */
  private wake(row: Row): void {
    const woken = row.waiting;
    row.waiting = [];
    for (const transaction of woken) {
      const waiting = this.waiting.get(transaction);
      if (waiting === undefined || transaction.waitsFor !== row) continue;
      this.times.later(0, () => {
        if (this.waiting.get(transaction) !== waiting || !transaction.isOpen) return;
        this.waiting.delete(transaction);
        transaction.waitsFor = null;
        waiting.retry();
      });
    }
  }
}

function isInCircle(start: Transaction): boolean {
  for (let owner = start.waitsFor?.owner ?? null; owner !== null; owner = owner.waitsFor?.owner ?? null) {
    if (owner === start) return true;
  }
  return false;
}

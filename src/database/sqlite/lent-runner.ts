import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import { TransactionEndedError } from '../transaction-ended-error.js';
import { connectionOf, type SqliteDriver } from './sqlite-driver.js';

/**
 * The writer's query runner, lent to the work of one transaction. TypeORM's SQLite drivers have one runner for all, and
 * releasing it does nothing: a handler that was left behind would write on, into the next event's transaction.
 */
export class LentRunner {
  readonly manager: EntityManager;
  private readonly connection: SqliteDriver;
  private readonly running = new Set<Promise<unknown>>();
  private isOver = false;

  constructor(writer: DataSource) {
    this.connection = connectionOf(writer);
    const shared = writer.createQueryRunner();
    // A view of the shared one: what belongs to this transaction (nested save points) is noted on the view alone.
    const view = Object.create(shared) as QueryRunner;
    const query = (...args: Parameters<QueryRunner['query']>): Promise<unknown> => this.run(shared, args);
    this.manager = writer.createEntityManager(view);
    Object.assign(view, { query, manager: this.manager, isTransactionActive: true, transactionDepth: 1 });
  }

  /** Takes no more statements and resolves when those under way have ended. To be called before commit and rollback. */
  async end(): Promise<void> {
    this.isOver = true;
    await Promise.allSettled(this.running);
  }

  private async run(shared: QueryRunner, args: Parameters<QueryRunner['query']>): Promise<unknown> {
    // After some errors (a full disk) SQLite has rolled back by itself, and a further statement would commit alone.
    if (this.isOver || !this.connection.isTransaction) throw new TransactionEndedError();
    const statement = shared.query(...args);
    this.running.add(statement);
    try {
      return await statement;
    } finally {
      this.running.delete(statement);
    }
  }
}

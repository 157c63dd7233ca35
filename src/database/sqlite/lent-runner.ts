import type { DataSource, EntityManager, QueryRunner } from 'typeorm';

/** Work went on after its transaction had ended: nothing of it was written. */
export class TransactionEndedError extends Error {
  readonly code = 'TRANSACTION_ENDED';

  constructor() {
    super('the transaction of this manager has ended');
    this.name = 'TransactionEndedError';
  }
}

/**
 * The writer's query runner, lent to the work of one transaction. TypeORM's SQLite drivers have one runner for all, and
 * releasing it does nothing: a handler that was left behind would write on, into the next event's transaction.
 */
export class LentRunner {
  readonly manager: EntityManager;
  private readonly running = new Set<Promise<unknown>>();
  private isOver = false;

  constructor(writer: DataSource, shared: QueryRunner) {
    // A view of the shared one: what belongs to this transaction (nested save points) is noted on the view alone.
    const view = Object.create(shared) as QueryRunner;
    const query = (...args: Parameters<QueryRunner['query']>): Promise<unknown> => this.run(shared, args);
    this.manager = writer.createEntityManager(view);
    Object.assign(view, { query, manager: this.manager });
  }

  /** Takes no more statements and resolves when those under way have ended. To be called before commit and rollback. */
  async end(): Promise<void> {
    this.isOver = true;
    await Promise.allSettled(this.running);
  }

  private async run(shared: QueryRunner, args: Parameters<QueryRunner['query']>): Promise<unknown> {
    if (this.isOver) throw new TransactionEndedError();
    const statement = shared.query(...args);
    this.running.add(statement);
    try {
      return await statement;
    } finally {
      this.running.delete(statement);
    }
  }
}

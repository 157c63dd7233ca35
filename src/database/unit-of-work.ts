import type { EntityManager } from 'typeorm';

/**
 * The manager of an open transaction, or in `read` of a connection whose statements each see what is committed by then.
 * Stores take it as their first argument; handlers get its manager.
 */
export interface Tx {
  readonly manager: EntityManager;
}

/**
 * Wall 3 as the worker sees it: a transaction at READ COMMITTED or stronger in which the log row, the entity row, the
 * effect and the outbox commit together or not at all.
 */
export abstract class UnitOfWork {
  /**
   * Runs `work` in a transaction and commits when it resolves, rolls back when it rejects (with the same error, unless
   * the driver's error is one of those below). Rejects with
   * - `TransactionConflictError`: deadlock, lock timeout, or a commit of unknown outcome. Run the whole work again: the
   *   unique key decides.
   * - `DatabaseUnavailableError`: no connection, a full disk, a limit passed. Nothing is known to be committed.
   */
  abstract write<T>(work: (tx: Tx) => Promise<T>): Promise<T>;

  /** Reads what is committed, without waiting for writers. Rejects as `write` does. */
  abstract read<T>(work: (tx: Tx) => Promise<T>): Promise<T>;

  /** Null while it works; otherwise since when (ms) it does not, and why. Answers at once. */
  abstract trouble(): { since: number; reason: string } | null;
}

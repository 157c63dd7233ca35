import type { PoolConnection } from 'mysql2';
import type { DataSource, EntityManager, QueryRunner } from 'typeorm';
import type { Clock } from '../../runtime/clock.js';
import { TimeLimitError, within } from '../../runtime/within.js';
import { driverErrorKind, type DriverErrorKind } from '../database-errors.js';
import { TransactionEndedError } from '../transaction-ended-error.js';
import { discard } from './mysql-driver.js';

/** What made the connection useless for the rest of the work. */
export interface Spoiled {
  readonly kind: DriverErrorKind;
  readonly cause: unknown;
}

type Query = QueryRunner['query'];

/** https://mariadb.com/kb/en/ok_packet/: set while a transaction is open. */
const IN_TRANSACTION = 1;
/** A statement that the server ended because it took too long; it may have ended the transaction with it. */
const TOO_SLOW = new Set([1969, 3024]);

/**
 * A pooled connection, lent to one piece of work. It takes no statement after its end, so a handler that was left behind
 * writes nothing more; and none after an error that may have ended the transaction on the server, since whatever comes
 * then would commit by itself. For the same reason statements go out one after another.
 */
export class MysqlLentRunner {
  readonly manager: EntityManager;
  private readonly runner: QueryRunner;
  private readonly ask: Query;
  private connection: PoolConnection | null = null;
  private tail: Promise<unknown> = Promise.resolve();
  private isOver = false;
  private isGivenBack = false;
  private inTransaction = false;
  private isTrusted = true;
  private why: Spoiled | null = null;

  private constructor(
    source: DataSource,
    private readonly clock: Clock,
    private readonly limitMs: number,
  ) {
    const runner = (this.runner = source.createQueryRunner());
    this.ask = runner.query.bind(runner);
    const connect = runner.connect.bind(runner);
    const query = (...args: Parameters<Query>): Promise<unknown> => this.run(args);
    const stream = (): Promise<never> => Promise.reject(new Error('a stream would outlive its transaction'));
    Object.assign(runner, {
      ...{ query, stream },
      connect: () => (this.isGivenBack ? Promise.reject(new TransactionEndedError()) : connect()),
      // Whoever released it in the middle would lend the open transaction to somebody else.
      release: () => Promise.resolve(),
    });
    this.manager = runner.manager;
  }

  /** Rejects when there is no connection. */
  static async open(source: DataSource, clock: Clock, limitMs: number): Promise<MysqlLentRunner> {
    const lent = new MysqlLentRunner(source, clock, limitMs);
    lent.connection = (await lent.runner.connect()) as PoolConnection;
    return lent;
  }

  get spoiled(): Spoiled | null {
    return this.why;
  }

  async begin(): Promise<void> {
    await this.statement(['START TRANSACTION']);
    this.inTransaction = true;
    // For TypeORM: what a handler calls a transaction becomes a save point of this one.
    Object.assign(this.runner, { isTransactionActive: true, transactionDepth: 1 });
  }

  /** Takes no more statements and resolves when those under way have ended. To be called before commit and rollback. */
  async end(): Promise<void> {
    this.isOver = true;
    await this.tail;
  }

  async commit(): Promise<void> {
    try {
      await this.ending('COMMIT');
    } catch (error) {
      this.isTrusted = false;
      throw error;
    }
  }

  /** Never rejects: when the server does not say that it did it, the connection ends, and the transaction with it. */
  async rollBack(): Promise<void> {
    if (this.why?.kind === 'unavailable') return;
    // What spoiled the transaction ends with it.
    this.why = null;
    await this.ending('ROLLBACK').catch(() => (this.isTrusted = false));
  }

  /** Gives the connection back, or ends it if it is not to be trusted. */
  release(): void {
    this.isOver = true;
    const isClean = this.isTrusted && this.why?.kind !== 'unavailable' && !this.runner.isTransactionActive;
    this.isGivenBack = true;
    if (!this.connection) return;
    if (isClean) this.connection.release();
    else discard(this.connection);
  }

  private async ending(sql: 'COMMIT' | 'ROLLBACK'): Promise<void> {
    this.inTransaction = false;
    Object.assign(this.runner, { isTransactionActive: false });
    await this.statement([sql]);
  }

  private run(args: Parameters<Query>): Promise<unknown> {
    if (this.isOver) return Promise.reject(new TransactionEndedError());
    const turn = this.tail.then(() => this.statement(args));
    this.tail = turn.catch(() => undefined);
    return turn;
  }

  private async statement(args: Parameters<Query>): Promise<unknown> {
    if (this.why) throw new TransactionEndedError({ cause: this.why.cause });
    try {
      const result: unknown = await within(this.clock, this.limitMs, 'the database', this.ask(...args));
      this.checkStillOpen(result);
      return result;
    } catch (error) {
      const kind = error instanceof TimeLimitError ? 'unavailable' : driverErrorKind(error);
      if (kind === 'conflict' || kind === 'unavailable' || isTooSlow(error)) this.why = { kind, cause: error };
      throw error;
    }
  }

  /** A statement that commits on the side (DDL does) leaves a connection on which each further one commits alone. */
  private checkStillOpen(result: unknown): void {
    const raw = (result as { raw?: unknown } | undefined)?.raw ?? result;
    const status = (raw as { serverStatus?: unknown } | undefined)?.serverStatus;
    if (!this.inTransaction || typeof status !== 'number' || (status & IN_TRANSACTION) !== 0) return;
    const cause = new TransactionEndedError();
    this.why = { kind: 'other', cause };
    throw cause;
  }
}

function isTooSlow(error: unknown): boolean {
  const errno = (error as { driverError?: { errno?: unknown } }).driverError?.errno;
  return typeof errno === 'number' && TOO_SLOW.has(errno);
}

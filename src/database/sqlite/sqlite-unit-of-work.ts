import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import { Clock } from '../../runtime/clock.js';
import { READER, WRITER } from '../connection-tokens.js';
import { DatabaseUnavailableError, driverErrorKind, TransactionConflictError } from '../database-errors.js';
import { TransactionEndedError } from '../transaction-ended-error.js';
import { UnitOfWork, type Tx } from '../unit-of-work.js';
import { LentRunner } from './lent-runner.js';
import { connectionOf } from './sqlite-driver.js';

/**
 * One writer, one reader, one file. Transactions on the writer run one after another: TypeORM's SQLite drivers share a
 * single connection, and two open transactions on it would become one. Reads have a connection of their own, so a
 * handler that awaits inside its transaction neither delays nor shows its half-done work to them.
 *
 * Begin, commit and rollback go to the connection itself, and it alone is asked whether a transaction is open: SQLite
 * ends one by itself on a full disk, and TypeORM's own count of open transactions then goes wrong for good. Commits
 * turned into releases of save points, and were undone by the next crash.
 */
@Injectable()
export class SqliteUnitOfWork extends UnitOfWork implements OnApplicationShutdown {
  private tail: Promise<unknown> = Promise.resolve();
  private failing: { since: number; reason: string } | null = null;

  constructor(
    @Inject(WRITER) private readonly writer: DataSource,
    @Inject(READER) private readonly reader: DataSource,
    private readonly clock: Clock,
  ) {
    super();
  }

  override write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const turn = this.tail.then(() => this.transaction(work));
    this.tail = turn.catch(() => undefined);
    return turn;
  }

  override async read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    try {
      return await work({ manager: this.reader.manager });
    } catch (error) {
      throw this.translated(error);
    }
  }

  override trouble(): { since: number; reason: string } | null {
    return this.failing;
  }

  async onApplicationShutdown(): Promise<void> {
    await this.tail;
    if (this.reader.isInitialized) await this.reader.destroy();
    if (this.writer.isInitialized) await this.writer.destroy();
  }

  private async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    // A handler that goes on after its signal aborted can write nothing more: its runner has ended.
    const lent = new LentRunner(this.writer);
    try {
      this.begin();
      const result = await work({ manager: lent.manager });
      await lent.end();
      this.commit();
      this.failing = null;
      return result;
    } catch (error) {
      await lent.end();
      this.rollBack();
      throw this.translated(error);
    }
  }

  private begin(): void {
    // One left open by an error in the middle of a rollback belongs to nobody.
    this.rollBack();
    connectionOf(this.writer).exec('BEGIN IMMEDIATE');
  }

  private commit(): void {
    const connection = connectionOf(this.writer);
    // Whoever swallowed the error of a statement must not be told that his work is committed.
    if (!connection.isTransaction) throw new TransactionEndedError();
    connection.exec('COMMIT');
  }

  private rollBack(): void {
    const connection = connectionOf(this.writer);
    if (connection.isTransaction) connection.exec('ROLLBACK');
  }

  private translated(error: unknown): unknown {
    if (error instanceof TransactionEndedError) return this.unavailable(error);
    const kind = driverErrorKind(error);
    if (kind === 'conflict') return new TransactionConflictError({ cause: error });
    return kind === 'unavailable' ? this.unavailable(error) : error;
  }

  private unavailable(error: unknown): DatabaseUnavailableError {
    const reason = error instanceof Error ? error.message : String(error);
    this.failing ??= { since: this.clock.now(), reason };
    return new DatabaseUnavailableError({ cause: error });
  }
}

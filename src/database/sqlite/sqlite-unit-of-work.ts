import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import type { DataSource, QueryRunner } from 'typeorm';
import { Clock } from '../../runtime/clock.js';
import { DatabaseUnavailableError, driverErrorKind, TransactionConflictError } from '../database-errors.js';
import { UnitOfWork, type Tx } from '../unit-of-work.js';
import { LentRunner } from './lent-runner.js';

export const READER = Symbol('READER');
export const WRITER = Symbol('WRITER');

/**
 * One writer, one reader, one file. Transactions on the writer run one after another: TypeORM's SQLite drivers share a
 * single connection, and two open transactions on it would become one. Reads have a connection of their own, so a
 * handler that awaits inside its transaction neither delays nor shows its half-done work to them.
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
    const runner = this.writer.createQueryRunner();
    // A handler that goes on after its signal aborted can write nothing more: its runner has ended.
    const lent = new LentRunner(this.writer, runner);
    try {
      await runner.startTransaction();
      const result = await work({ manager: lent.manager });
      await lent.end();
      await runner.commitTransaction();
      this.failing = null;
      return result;
    } catch (error) {
      await lent.end();
      await this.rollBack(runner);
      throw this.translated(error);
    }
  }

  private async rollBack(runner: QueryRunner): Promise<void> {
    if (!runner.isTransactionActive) return;
    try {
      await runner.rollbackTransaction();
    } catch {
      // SQLite rolls back by itself after some errors (a full disk); the first error is the one to report.
    }
  }

  private translated(error: unknown): unknown {
    const kind = driverErrorKind(error);
    if (kind === 'conflict') return new TransactionConflictError({ cause: error });
    if (kind !== 'unavailable') return error;
    const reason = error instanceof Error ? error.message : String(error);
    this.failing ??= { since: this.clock.now(), reason };
    return new DatabaseUnavailableError({ cause: error });
  }
}

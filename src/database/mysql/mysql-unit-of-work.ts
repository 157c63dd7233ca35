import type { OnApplicationShutdown } from '@nestjs/common';
import type { DataSource } from 'typeorm';
import type { Clock } from '../../runtime/clock.js';
import { DatabaseUnavailableError, TransactionConflictError } from '../database-errors.js';
import { UnitOfWork, type Tx } from '../unit-of-work.js';
import { MysqlLentRunner, type Spoiled } from './mysql-lent-runner.js';
import { reasonOf } from './mysql-reason.js';

export interface Trouble {
  readonly since: number;
  readonly reason: string;
}

/**
 * One pooled connection a transaction. What happened to it is judged by what its own connection said, not by the error
 * that the work threw: a handler's error may come from anywhere, and a handler may swallow a deadlock.
 */
export class MysqlUnitOfWork extends UnitOfWork implements OnApplicationShutdown {
  private writing: Trouble | null = null;
  private reading: Trouble | null = null;

  constructor(
    private readonly writer: DataSource,
    private readonly reader: DataSource,
    private readonly clock: Clock,
    private readonly statementLimitMs: number,
  ) {
    super();
  }

  override async write<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const lent = await this.lend(this.writer, 'writing');
    try {
      await this.begin(lent);
      const result = await this.worked(lent, 'writing', () => work({ manager: lent.manager }));
      await this.commit(lent);
      this.writing = this.reading = null;
      return result;
    } finally {
      lent.release();
    }
  }

  override async read<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
    const lent = await this.lend(this.reader, 'reading');
    try {
      const result = await this.worked(lent, 'reading', () => work({ manager: lent.manager }));
      this.reading = null;
      return result;
    } finally {
      lent.release();
    }
  }

  override trouble(): Trouble | null {
    return this.writing ?? this.reading;
  }

  async onApplicationShutdown(): Promise<void> {
    for (const source of [this.reader, this.writer]) if (source.isInitialized) await source.destroy();
  }

  private async lend(source: DataSource, what: 'writing' | 'reading'): Promise<MysqlLentRunner> {
    try {
      return await MysqlLentRunner.open(source, this.clock, this.statementLimitMs);
    } catch (error) {
      throw this.unavailable(what, error);
    }
  }

  private async begin(lent: MysqlLentRunner): Promise<void> {
    try {
      await lent.begin();
    } catch (error) {
      throw this.unavailable('writing', error);
    }
  }

  /** The work's result, when all its statements are answered and none of them spoiled the connection. */
  private async worked<T>(lent: MysqlLentRunner, what: 'writing' | 'reading', work: () => Promise<T>): Promise<T> {
    try {
      const result = await work();
      await lent.end();
      // Whoever swallowed the error of a statement must not be told that his work is committed.
      if (lent.spoiled) throw lent.spoiled.cause;
      return result;
    } catch (error) {
      await lent.end();
      const { spoiled } = lent;
      if (what === 'writing') await lent.rollBack();
      throw this.translated(what, spoiled, error);
    }
  }

  private async commit(lent: MysqlLentRunner): Promise<void> {
    try {
      await lent.commit();
    } catch (error) {
      // Said or not, done or not: nobody knows. The unique key does.
      if (lent.spoiled?.kind === 'unavailable') this.unavailable('writing', error);
      throw new TransactionConflictError({ cause: error });
    }
  }

  private translated(what: 'writing' | 'reading', spoiled: Spoiled | null, error: unknown): unknown {
    if (spoiled?.kind === 'conflict') return new TransactionConflictError({ cause: spoiled.cause });
    return spoiled?.kind === 'unavailable' ? this.unavailable(what, spoiled.cause) : error;
  }

  private unavailable(what: 'writing' | 'reading', error: unknown): DatabaseUnavailableError {
    this[what] ??= { since: this.clock.now(), reason: reasonOf(error) };
    return new DatabaseUnavailableError({ cause: error });
  }
}

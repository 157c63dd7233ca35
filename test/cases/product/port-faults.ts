import { Inject, Injectable } from '@nestjs/common';
import { DatabaseUnavailableError } from '../../../src/database/database-errors.js';
import { UnitOfWork, type Tx } from '../../../src/database/unit-of-work.js';
import { CONFIG, type Config } from '../../../src/config/config.js';
import { IdempotencyStore } from '../../../src/idempotency/idempotency-store.js';
import { Clock } from '../../../src/runtime/clock.js';
import { Transport } from '../../../src/transport/transport.js';
import type { FaultSpec } from './control.js';
import { handledIn } from './counting-handlers.js';
import { handlerFaults } from './handler-faults.js';
import { points } from './points.js';
import { TransportFaults } from './transport-faults.js';

// https://www.sqlite.org/rescode.html: what SQLite calls a lost race. MySQL's own numbers are raised by the server itself.
const SQLITE_BUSY = 5;

/**
 * Wraps the ports of a running product, in place, before anything is consumed. Nothing of the product is replaced: what
 * the adapters do is done, and faults lie around it.
 */
@Injectable()
export class PortFaults {
  readonly transport: TransportFaults;
  private isGuardBypassed = false;
  private databaseDownSince: number | null = null;
  private frozenAt: number | null = null;
  private raises: { errno: number; timesLeft: number }[] = [];
  private readRows!: UnitOfWork['read'];

  constructor(
    transport: Transport,
    guard: IdempotencyStore,
    unitOfWork: UnitOfWork,
    clock: Clock,
    @Inject(CONFIG) config: Config,
  ) {
    this.transport = new TransportFaults(transport, config);
    this.wrapGuard(guard);
    this.wrapDatabase(unitOfWork);
    const now = clock.now.bind(clock);
    clock.now = () => this.frozenAt ?? now();
    for (const fault of JSON.parse(process.env['CASE_FAULTS'] ?? '[]') as FaultSpec[]) this.set(fault);
  }

  set(fault: FaultSpec): void {
    const { what } = fault;
    if (what.startsWith('handler.')) handlerFaults.set(fault);
    else if (what === 'redis.bypassGuard') this.isGuardBypassed = true;
    else if (what === 'clock.freeze') this.frozenAt = Date.parse(fault['at'] as string);
    else if (what === 'clock.normal') this.frozenAt = null;
    else if (what === 'db.down') this.databaseDownSince = Date.now();
    else if (what === 'db.up') this.databaseDownSince = null;
    else if (what === 'db.raise')
      this.raises.push({ errno: Number(fault['errno']), timesLeft: Number(fault['times'] ?? Infinity) });
    else this.transport.set(fault);
  }

  /** Whatever the case has done to the database: a look at what is there is no part of it. */
  async rows(table: string): Promise<unknown[]> {
    if (!/^[a-z_]+$/.test(table)) throw new Error(`no table ${table}`);
    const rows = await this.readRows(({ manager }) =>
      manager.query<Record<string, unknown>[]>(`SELECT * FROM ${table}`),
    );
    return rows.map((row) => Object.fromEntries(Object.entries(row).map(([name, value]) => [name, asText(value)])));
  }

  private wrapGuard(guard: IdempotencyStore): void {
    const [claim, confirm] = [guard.claim.bind(guard), guard.confirm.bind(guard)];
    const [acquire, complete] = [guard.acquire.bind(guard), guard.complete.bind(guard)];
    guard.claim = async (...args) => {
      if (this.isGuardBypassed) return 'claimed';
      const result = await claim(...args);
      if (result === 'claimed') await points.reach('after-claim');
      return result;
    };
    guard.confirm = async (...args) => {
      await points.reach('before-confirm');
      return this.isGuardBypassed ? 'done' : confirm(...args);
    };
    guard.acquire = async (...args) => {
      if (this.isGuardBypassed) return { kind: 'acquired', startUnfinished: false };
      const result = await acquire(...args);
      await points.reach('after-acquire');
      return result;
    };
    guard.complete = async (...args) => {
      await points.reach('before-mark');
      const result = this.isGuardBypassed ? 'done' : await complete(...args);
      await points.reach('after-mark');
      return result;
    };
    const [start, renew, release] = [guard.start.bind(guard), guard.renew.bind(guard), guard.release.bind(guard)];
    guard.start = async (...args) => (this.isGuardBypassed ? 'done' : start(...args));
    guard.renew = async (...args) => (this.isGuardBypassed ? 'done' : renew(...args));
    guard.release = async (...args) => (this.isGuardBypassed ? 'done' : release(...args));
  }

  private wrapDatabase(unitOfWork: UnitOfWork): void {
    const write = unitOfWork.write.bind(unitOfWork);
    const read = (this.readRows = unitOfWork.read.bind(unitOfWork));
    const trouble = unitOfWork.trouble.bind(unitOfWork);
    unitOfWork.trouble = () =>
      this.databaseDownSince === null
        ? trouble()
        : { since: this.databaseDownSince, reason: 'the database was stopped by a case' };
    unitOfWork.read = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
      this.ensureUp();
      return read(work);
    };
    unitOfWork.write = async <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
      this.ensureUp();
      let handled = false;
      const result = await write(async (tx) => {
        const done = await work(tx);
        handled = handledIn.has(tx.manager);
        if (handled) await this.beforeCommit(tx);
        return done;
      });
      if (handled) await points.reach('after-commit');
      return result;
    };
  }

  private ensureUp(): void {
    if (this.databaseDownSince !== null)
      throw new DatabaseUnavailableError({ cause: new Error('the database is down') });
  }

  private async beforeCommit({ manager }: Tx): Promise<void> {
    this.ensureUp();
    const raise = this.raises.find(({ timesLeft }) => timesLeft > 0);
    if (raise) {
      raise.timesLeft -= 1;
      if (manager.connection.options.type === 'better-sqlite3')
        throw Object.assign(new Error('database is locked'), { code: 'ERR_SQLITE_ERROR', errcode: SQLITE_BUSY });
      await manager.query(
        `SIGNAL SQLSTATE '40001' SET MYSQL_ERRNO = ${raise.errno}, MESSAGE_TEXT = 'raised by a case'`,
      );
    }
    await points.reach('before-commit');
  }
}

/** Binary columns, and on SQLite texts that hold a NUL, are read as bytes. */
function asText(value: unknown): unknown {
  return value instanceof Uint8Array ? Buffer.from(value).toString('utf8') : value;
}

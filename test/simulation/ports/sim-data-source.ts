import type { DataSource, EntityManager } from 'typeorm';
import { ConnectionError, deadlock } from '../database/sql-error.js';
import type { Database } from '../database/database.js';
import type { Executed } from '../database/execute.js';
import type { Value } from '../database/sql-expression.js';
import type { Transaction } from '../database/transaction.js';
import type { Life } from '../world/life.js';
import type { World } from '../world/world.js';

/** How long the server keeps a session whose client does not say a word. */
export interface SessionTimes {
  readonly waitTimeoutMs: number;
}

const CLOSE_MS = 5;
/** The end of a process closes its sockets; the end of a machine, or of the way there, closes nothing. */
const VANISHES_CHANCE = 0.25;

/** What the product's `MysqlUnitOfWork` takes for TypeORM's connections: sessions of the simulated server. */
export function simDataSource(world: World, life: Life, database: Database, times: SessionTimes): DataSource {
  return {
    isInitialized: true,
    createQueryRunner: () => new Session(world, life, database, times).runner,
    destroy: () => Promise.resolve(),
  } as unknown as DataSource;
}

class Session {
  readonly runner: object;
  private transaction: Transaction | null = null;
  private isClosed = false;
  private lastWordAt = 0;
  private isGivenUp = false;
  private arrivesAt = 0;

  constructor(
    private readonly world: World,
    private readonly life: Life,
    private readonly database: Database,
    private readonly times: SessionTimes,
  ) {
    const query = (sql: string, values: Value[] = [], isStructured = false): Promise<unknown> =>
      this.query(sql, values).then(({ rows, affected }) =>
        isStructured ? { raw: rows, records: rows, affected } : rows,
      );
    const connection = { release: () => undefined, destroy: () => this.close(), stream: { destroy: () => undefined } };
    const runner = {
      query,
      connect: () => Promise.resolve(connection),
      manager: null as unknown,
      isTransactionActive: false,
    };
    // As TypeORM's: the manager sends through whatever the runner's `query` is by then.
    const manager = {
      queryRunner: runner,
      dataSource: { options: { type: 'mysql' } },
      query: (sql: string, given?: Value[]) => runner.query(sql, given),
    } as unknown as EntityManager;
    runner.manager = manager;
    this.runner = runner;
    life.onEnd.push(() => this.vanish());
  }

  private query(sql: string, values: Value[]): Promise<Executed> {
    const { world, life, database } = this;
    const failure = (reason: string): Error => new ConnectionError(reason);
    const onSent = (at: number): void => void (this.arrivesAt = at);
    const call = {
      service: 'database' as const,
      label: labelOf(sql),
      limitMs: Number.POSITIVE_INFINITY,
      failure,
      onSent,
    };
    return world.call<Executed>(life, call, (reply) => {
      this.lastWordAt = world.now;
      if (this.isClosed) return reply({ error: new ConnectionError('PROTOCOL_CONNECTION_LOST') });
      if (sql === 'START TRANSACTION') {
        this.transaction = database.begin(life.name);
        this.watch(this.transaction);
        return reply({ ok: NOTHING });
      }
      if (sql === 'COMMIT' || sql === 'ROLLBACK') return this.end(sql, reply);
      if (this.transaction !== null && this.isUnlucky()) {
        world.hit('deadlock-at-random');
        database.rollBack(this.transaction);
        return reply({ error: deadlock() });
      }
      database.execute(this.transaction, sql, values, reply);
    });
  }

  private end(sql: 'COMMIT' | 'ROLLBACK', reply: (reply: { ok: Executed } | { error: Error }) => void): void {
    const { transaction } = this;
    this.transaction = null;
    if (transaction === null || !transaction.isOpen) {
      if (sql === 'COMMIT') return reply({ error: new ConnectionError('PROTOCOL_CONNECTION_LOST') });
      return reply({ ok: NOTHING });
    }
    if (sql === 'ROLLBACK') this.database.rollBack(transaction);
    else {
      if (!this.life.isAlive || this.isGivenUp) this.world.hit('late-commit');
      this.database.commit(transaction);
    }
    reply({ ok: NOTHING });
  }

  private isUnlucky(): boolean {
    const { isCalmed, profile, random } = this.world;
    return !isCalmed && profile.perCall.deadlock > 0 && random.chance(profile.perCall.deadlock);
  }

  /**
   * The client lets go of the connection. The server learns of it only if it can be reached, and after what was sent
   * before: a COMMIT that the client has given up may still be done.
   */
  private close(): void {
    this.isGivenUp = true;
    if (!this.world.reaches(this.life.host, 'database')) return;
    const behind = Math.max(0, this.arrivesAt - this.world.now);
    this.world.later(behind + this.world.random.fraction() * CLOSE_MS, () => this.drop());
  }

  private vanish(): void {
    if (this.transaction === null || !this.transaction.isOpen) return;
    const isSeen = this.world.reaches(this.life.host, 'database') && !this.world.random.chance(VANISHES_CHANCE);
    if (isSeen) this.world.later(this.world.random.fraction() * CLOSE_MS, () => this.drop());
  }

  private drop(): void {
    this.isClosed = true;
    if (this.transaction !== null) this.database.rollBack(this.transaction);
  }

  /** The server's own `wait_timeout`, which alone ends what a process left behind that stands still. */
  private watch(transaction: Transaction): void {
    const look = (): void => {
      if (!transaction.isOpen) return;
      const left = this.lastWordAt + this.times.waitTimeoutMs - this.world.now;
      if (left > 0) return this.world.later(left, look);
      this.world.hit('abandoned-transaction');
      this.world.tell('database', `ends the session of ${transaction.name}`);
      this.drop();
    };
    this.world.later(this.times.waitTimeoutMs, look);
  }
}

const NOTHING: Executed = { rows: [], affected: 0 };
const labels = new Map<string, string>();

/** `db.update event_log`: what the statement is about, whatever its conditions. */
export function labelOf(sql: string): string {
  let label = labels.get(sql);
  if (label === undefined) {
    const [, verb = '', table = ''] = /^[\s(]*(\w+)(?:[\s\S]*?\b(?:FROM|INTO|UPDATE)\s+(\w+))?/.exec(sql) ?? [];
    const updated = /^\s*UPDATE\s+(?:JSON_TABLE\b[\s\S]*?\bSTRAIGHT_JOIN\s+)?(\w+)/.exec(sql)?.[1] ?? table;
    const lock = sql.includes('SKIP LOCKED') ? ' skipping' : sql.includes('FOR UPDATE') ? ' locking' : '';
    label = `db.${verb.toLowerCase()}${updated === '' || verb === 'START' ? '' : ` ${updated}`}${lock}`;
    labels.set(sql, label);
  }
  return label;
}

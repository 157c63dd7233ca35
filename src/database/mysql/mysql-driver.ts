import { createPool, type Pool, type PoolConnection, type PoolOptions } from 'mysql2';
import type { Socket } from 'node:net';
import type { Clock } from '../../runtime/clock.js';
import { TimeLimitError, within } from '../../runtime/within.js';
import { driverErrorKind } from '../database-errors.js';

export interface PoolLimits {
  readonly sessionStatements: readonly string[];
  readonly acquireLimitMs: number;
  readonly waitingMax: number;
}

type Callback = (error: Error | null, connection?: PoolConnection) => void;

/** How long the server may take to say good-bye. One that hangs never does. */
const END_LIMIT_MS = 2_000;

/** All connections are in use, and too many calls wait for one already or one has waited too long. */
export class PoolExhaustedError extends Error {
  readonly code = 'DATABASE_POOL_EXHAUSTED';

  constructor(options: { cause: unknown }) {
    const { cause } = options;
    super(`no connection to the database: ${cause instanceof Error ? cause.message : String(cause)}`, options);
    this.name = 'PoolExhaustedError';
  }
}

/** What TypeORM expects of its driver for MySQL: mysql2, with pools that keep limits. */
export class MysqlDriver {
  constructor(
    private readonly clock: Clock,
    private readonly limits: PoolLimits,
  ) {}

  createPool(options: PoolOptions): MysqlPool {
    return new MysqlPool(createPool(options), this.clock, this.limits);
  }
}

/**
 * A pool that hands out only connections whose session is set up, and for which nobody waits for ever: mysql2's own has
 * no time limit, and its `end` waits for servers that hang.
 */
export class MysqlPool {
  private readonly live = new Set<PoolConnection>();
  private readonly ready = new WeakSet<PoolConnection>();
  private waitingCount = 0;

  constructor(
    private readonly pool: Pool,
    private readonly clock: Clock,
    private readonly limits: PoolLimits,
  ) {
    pool.on('connection', (connection) => {
      this.live.add(connection);
      connection.once('end', () => this.live.delete(connection));
    });
  }

  getConnection(callback: Callback): void {
    this.acquire().then(
      (connection) => callback(null, connection),
      (error: unknown) => callback(error as Error),
    );
  }

  end(callback: (error: Error | null) => void): void {
    const ended = new Promise<void>((resolve) => this.pool.end(() => resolve()));
    void within(this.clock, END_LIMIT_MS, 'the end of a connection', ended)
      .catch(() => undefined)
      .then(() => {
        for (const connection of this.live) discard(connection);
        callback(null);
      });
  }

  private async acquire(): Promise<PoolConnection> {
    if (this.waitingCount >= this.limits.waitingMax) throw new PoolExhaustedError({ cause: 'too many wait' });
    this.waitingCount += 1;
    try {
      const connection = await this.free();
      if (!this.ready.has(connection)) await this.setUp(connection);
      return connection;
    } finally {
      this.waitingCount -= 1;
    }
  }

  private async free(): Promise<PoolConnection> {
    const coming = new Promise<PoolConnection>((resolve, reject) =>
      this.pool.getConnection((error, connection) => (error ? reject(error) : resolve(connection))),
    );
    try {
      return await within(this.clock, this.limits.acquireLimitMs, 'a free connection', coming);
    } catch (error) {
      // It may still come; nobody would give it back.
      coming.then(
        (connection) => connection.release(),
        () => undefined,
      );
      // The pool's own errors have no code to tell them by.
      throw driverErrorKind(error) === 'other' ? new PoolExhaustedError({ cause: error }) : error;
    }
  }

  private async setUp(connection: PoolConnection): Promise<void> {
    try {
      for (const statement of this.limits.sessionStatements)
        await within(this.clock, this.limits.acquireLimitMs, 'setting up a session', told(connection, statement));
    } catch (error) {
      discard(connection);
      throw error instanceof TimeLimitError ? new PoolExhaustedError({ cause: error }) : error;
    }
    this.ready.add(connection);
  }
}

function told(connection: PoolConnection, statement: string): Promise<void> {
  return new Promise((resolve, reject) => connection.query(statement, (error) => (error ? reject(error) : resolve())));
}

/** Ends a connection without waiting for the other end, which may hang: mysql2 alone would leave the socket half open. */
export function discard(connection: PoolConnection): void {
  connection.destroy();
  (connection as unknown as { stream: Socket }).stream.destroy();
}

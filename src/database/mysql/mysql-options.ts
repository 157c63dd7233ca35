import type { DatabaseAddress } from '../../config/database-address.js';
import type { Clock } from '../../runtime/clock.js';
import type { Schema } from '../schema.js';
import { MysqlDriver } from './mysql-driver.js';

export interface MysqlSettings {
  readonly engine: 'mysql' | 'mariadb';
  /** Holds a password: never to be logged. */
  readonly address: DatabaseAddress;
  /** Connections for transactions. Reading has some more. */
  readonly poolMax: number;
  /** Longest wait for a connection, and for one statement. */
  readonly timeoutMs: number;
  readonly leaseMaxLifeMs: number;
}

/** What a pool is for. Migrations take as long as they take. */
export type Access = 'read write' | 'read only' | 'migrate';

const CONNECT_TIMEOUT_MS = 5_000;
/** Waiting for a lock longer than this ends a transaction; the worker runs it again. */
const LOCK_WAIT_SECONDS = 3;
/** A migration waits longer for transactions on its table: it is run by people, and once. */
const MIGRATION_LOCK_WAIT_SECONDS = 60;
const IDLE_TIMEOUT_MS = 30_000;
/** First packet of a keep-alive, so that a firewall that forgets quiet connections does not forget ours. */
const KEEP_ALIVE_MS = 10_000;
/** Calls that wait for a connection. Far above lanes, pollers and requests of the admin API together. */
export const WAITING_MAX = 1_000;

/** TypeORM's settings for MySQL and MariaDB. Migrations run by `npm run migrate` only. */
export function mysqlOptions(settings: MysqlSettings, schema: Schema, clock: Clock, access: Access) {
  const { host, port, tls, username, password, database } = settings.address;
  const poolSize = poolSizes(settings.poolMax)[access];
  return {
    // On the other server, TypeORM sees a schema that differs for ever.
    type: settings.engine,
    driver: new MysqlDriver(clock, {
      sessionStatements: sessionStatements(settings, access),
      acquireLimitMs: settings.timeoutMs,
      waitingMax: WAITING_MAX,
    }),
    ...{ host, port, username, password, database, poolSize },
    ...(tls ? { ssl: { rejectUnauthorized: true, verifyIdentity: true } } : {}),
    connectTimeout: Math.min(CONNECT_TIMEOUT_MS, settings.timeoutMs),
    // Values are written into the statement by the client, as literals of this collation: one that merges nothing.
    charset: 'utf8mb4_bin',
    timezone: 'Z',
    // BIGINT comes back as a number while it is safe: ids and times are.
    supportBigNumbers: true,
    bigNumberStrings: false,
    multipleStatements: false,
    // `affected` counts the rows that the WHERE matched, changed or not, as SQLite counts them.
    flags: ['FOUND_ROWS', '-LOCAL_FILES'],
    entities: [...schema.entities],
    migrations: [...schema.migrations],
    migrationsRun: false,
    migrationsTransactionMode: 'each' as const,
    extra: {
      // The pool looks for idle connections only while this is below its size.
      maxIdle: poolSize - 1,
      // Below `wait_timeout`, or the server ends connections that the pool believes in.
      idleTimeout: Math.min(IDLE_TIMEOUT_MS, settings.leaseMaxLifeMs),
      enableKeepAlive: true,
      keepAliveInitialDelay: KEEP_ALIVE_MS,
      connectAttributes: { program_name: 'wecom-callback-gateway' },
    },
  };
}

function poolSizes(max: number): Readonly<Record<Access, number>> {
  return { 'read write': max, 'read only': Math.max(2, Math.ceil(max / 2)), migrate: 2 };
}

/** What each new connection is told before its first use: nothing rests on how the server is set up. */
export function sessionStatements(settings: MysqlSettings, access: Access): string[] {
  const isMigrating = access === 'migrate';
  const lockWait = isMigrating ? MIGRATION_LOCK_WAIT_SECONDS : LOCK_WAIT_SECONDS;
  // A process that is stopped keeps its row locks until the server ends its connection: after 8 hours by default.
  const waitSeconds = Math.ceil(settings.leaseMaxLifeMs / 1_000) + 10;
  // Ends what is merely slow before our own limit ends the connection, which stands for a server that hangs.
  const slowMs = isMigrating ? 0 : Math.floor(settings.timeoutMs * 0.8);
  // Each server reads its own comment: which of the two it is can be told, and complained about, only after this.
  const slow = `/*!80000 max_execution_time = ${slowMs}, *//*M! max_statement_time = ${slowMs / 1_000}, */`;
  const variables = [
    `time_zone = '+00:00'`,
    // Strict: too long a text is an error, not a shorter text. And without NO_BACKSLASH_ESCAPES, under which the client's
    // way to escape values would let a quotation mark through.
    `sql_mode = 'STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION'`,
    `autocommit = 1`,
    `wait_timeout = ${waitSeconds}`,
    `innodb_lock_wait_timeout = ${lockWait}`,
    // The same for a table that a migration is changing: a year by default.
    `lock_wait_timeout = ${lockWait}`,
  ];
  const mode = access === 'read only' ? 'READ ONLY' : 'READ WRITE';
  return [
    `SET SESSION TRANSACTION ISOLATION LEVEL READ COMMITTED, ${mode}`,
    `SET SESSION ${slow} ${variables.join(', ')}`,
  ];
}

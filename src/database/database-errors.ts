/** The transaction lost a race or its commit got no answer; the same work run again is decided by the unique key. */
export class TransactionConflictError extends Error {
  readonly code = 'DATABASE_CONFLICT';

  constructor(options: { cause: unknown }) {
    super('the transaction has to run again', options);
    this.name = 'TransactionConflictError';
  }
}

/** The database cannot be worked with now. Infrastructure: it costs no event an attempt. */
export class DatabaseUnavailableError extends Error {
  readonly code = 'DATABASE_UNAVAILABLE';

  constructor(options: { cause: unknown }) {
    super('the database is not available', options);
    this.name = 'DatabaseUnavailableError';
  }
}

export type DriverErrorKind = 'duplicate-key' | 'conflict' | 'unavailable' | 'other';

// https://www.sqlite.org/rescode.html — primary codes are the low byte of an extended one.
const SQLITE_UNIQUE = new Set([2067, 1555]);
const SQLITE_BUSY = 5;
const SQLITE_LOCKED = 6;
const SQLITE_UNAVAILABLE = new Set([8, 10, 11, 13, 14, 26]);

// https://mariadb.com/kb/en/mariadb-error-code-reference/ and MySQL's "Server Error Message Reference".
const MYSQL_DUPLICATE = new Set([1062, 1586]);
/** Deadlock, lock wait timeout, row changed since it was read, NOWAIT. */
const MYSQL_CONFLICT = new Set([1213, 1205, 1020, 1614, 3572]);
const MYSQL_UNAVAILABLE = new Set([
  // Memory and disk: full, or failing.
  ...[1021, 1026, 1030, 1037, 1038, 1041, 1114],
  // No way in: too many connections, a host or a user shut out, a password changed, the database gone.
  ...[1040, 1044, 1045, 1049, 1129, 1130, 1135, 1203, 1226, 1637],
  // Going down, or not part of its cluster; a connection or a statement that somebody killed; network.
  ...[1047, 1053, 1077, 1079, 1152, 1158, 1159, 1160, 1161, 1184, 1317, 1927, 4031],
  // Read only, as a primary is after a failover.
  ...[1290, 1836],
]);

/** Sorts a driver's error by its code, never by its text. */
export function driverErrorKind(error: unknown): DriverErrorKind {
  let current: unknown = error;
  // TypeORM wraps the driver's error; handlers may wrap TypeORM's. The chain is short, and the limit ends a cycle.
  for (let depth = 0; depth < 5 && typeof current === 'object' && current !== null; depth += 1) {
    const fields = current as DriverFields;
    const kind = sqliteKind(fields) ?? mysqlKind(fields);
    if (kind !== null) return kind;
    current = fields.driverError ?? fields.cause;
  }
  return 'other';
}

interface DriverFields {
  readonly code?: unknown;
  readonly errcode?: unknown;
  readonly errno?: unknown;
  readonly sqlState?: unknown;
  readonly fatal?: unknown;
  readonly driverError?: unknown;
  readonly cause?: unknown;
}

/** Null when the error is not SQLite's: WeCom's API errors have an `errcode` too. */
function sqliteKind({ code, errcode }: DriverFields): DriverErrorKind | null {
  if (code !== 'ERR_SQLITE_ERROR' || typeof errcode !== 'number') return null;
  if (SQLITE_UNIQUE.has(errcode)) return 'duplicate-key';
  const primary = errcode & 0xff;
  if (primary === SQLITE_BUSY || primary === SQLITE_LOCKED) return 'conflict';
  return SQLITE_UNAVAILABLE.has(primary) ? 'unavailable' : 'other';
}

/**
 * Null when the error is not mysql2's. A server's answer has an SQL state; what ended the connection is marked fatal, so
 * that the `ECONNREFUSED` of a handler's own HTTP call is not taken for the database's.
 */
function mysqlKind({ errno, sqlState, fatal, code }: DriverFields): DriverErrorKind | null {
  if (typeof errno === 'number' && typeof sqlState === 'string') {
    if (MYSQL_DUPLICATE.has(errno)) return 'duplicate-key';
    if (MYSQL_CONFLICT.has(errno)) return 'conflict';
    return MYSQL_UNAVAILABLE.has(errno) || fatal === true ? 'unavailable' : 'other';
  }
  if (fatal === true) return 'unavailable';
  return typeof code === 'string' && OWN_CODES.has(code) ? 'unavailable' : null;
}

/** Errors of our own pool, whose limits stand for a database that does not keep up. */
const OWN_CODES = new Set(['DATABASE_POOL_EXHAUSTED']);

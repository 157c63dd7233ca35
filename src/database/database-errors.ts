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

/** Sorts a driver's error by its code, never by its text. */
export function driverErrorKind(error: unknown): DriverErrorKind {
  const errcode = sqliteCode(error);
  if (errcode === null) return 'other';
  if (SQLITE_UNIQUE.has(errcode)) return 'duplicate-key';
  const primary = errcode & 0xff;
  if (primary === SQLITE_BUSY || primary === SQLITE_LOCKED) return 'conflict';
  return SQLITE_UNAVAILABLE.has(primary) ? 'unavailable' : 'other';
}

/** TypeORM wraps the driver's error; handlers may wrap TypeORM's. The chain is short, and the limit ends a cycle. */
function sqliteCode(error: unknown): number | null {
  let current: unknown = error;
  for (let depth = 0; depth < 5 && typeof current === 'object' && current !== null; depth += 1) {
    const fields = current as { code?: unknown; errcode?: unknown; driverError?: unknown; cause?: unknown };
    // WeCom's API errors have an `errcode` too; only the driver's own says anything about the database.
    if (fields.code === 'ERR_SQLITE_ERROR' && typeof fields.errcode === 'number') return fields.errcode;
    current = fields.driverError ?? fields.cause;
  }
  return null;
}

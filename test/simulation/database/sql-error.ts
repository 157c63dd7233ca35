/** An error of the server in the shape of mysql2: the product goes by `errno` and `sqlState`. */
export class SqlError extends Error {
  constructor(
    readonly errno: number,
    readonly sqlState: string,
    message: string,
  ) {
    super(message);
    this.name = 'SqlError';
  }
}

/** The connection broke. */
export class ConnectionError extends Error {
  readonly fatal = true;

  constructor(readonly code: string) {
    super(`the connection broke: ${code}`);
    this.name = 'ConnectionError';
  }
}

export const duplicateKey = (key: string): SqlError => new SqlError(1062, '23000', `Duplicate entry '${key}'`);
export const deadlock = (): SqlError => new SqlError(1213, '40001', 'Deadlock found when trying to get lock');
export const lockTimeout = (): SqlError => new SqlError(1205, 'HY000', 'Lock wait timeout exceeded');

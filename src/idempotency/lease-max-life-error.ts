/** The handler took longer than a lease may live. A failure of the handler: it costs an attempt. */
export class LeaseMaxLifeError extends Error {
  readonly code = 'LEASE_MAX_LIFE';

  constructor(
    readonly key: string,
    readonly maxLifeMs: number,
  ) {
    super(`the handler for ${key} did not end within ${maxLifeMs} ms`);
    this.name = 'LeaseMaxLifeError';
  }
}

/** Another worker may hold the event by now. An infrastructure failure: roll back, write no row, settle nothing. */
export class LeaseLostError extends Error {
  readonly code = 'LEASE_LOST';

  constructor(readonly key: string) {
    super(`the lease on ${key} is no longer ours`);
    this.name = 'LeaseLostError';
  }
}

/**
 * The lease ended while the transaction waited for its turn: no handler had begun, so none is to blame. On SQLite, where
 * transactions follow one another, a slow handler makes others wait.
 */
export class NotBegunError extends Error {
  readonly code = 'RUN_NOT_BEGUN';

  constructor(options: { cause: unknown }) {
    super('the lease ended before the transaction could begin', options);
    this.name = 'NotBegunError';
  }
}

/** The process stops and its limit has passed: the run is rolled back and left to the next start. */
export class WorkerStoppingError extends Error {
  readonly code = 'WORKER_STOPPING';

  constructor() {
    super('the worker stops');
    this.name = 'WorkerStoppingError';
  }
}

/** Logins have failed too often, or too many are under way. */
export class TooManyAttemptsError extends Error {
  readonly code = 'TOO_MANY_ATTEMPTS';

  constructor(readonly retryAfterMs: number) {
    super('too many attempts: wait, and try again');
    this.name = 'TooManyAttemptsError';
  }
}

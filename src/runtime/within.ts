import type { Clock } from './clock.js';

/** A dependency did not answer within its share of the time. What it was asked to do may still happen. */
export class TimeLimitError extends Error {
  readonly code = 'TIME_LIMIT';

  constructor(
    readonly what: string,
    readonly limitMs: number,
  ) {
    super(`${what} took longer than ${limitMs} ms`);
    this.name = 'TimeLimitError';
  }
}

/** `work`, or a rejection with `TimeLimitError` after `limitMs`: a hang is worse than a refusal. */
export function within<T>(clock: Clock, limitMs: number, what: string, work: Promise<T>): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = clock.after(limitMs, () => reject(new TimeLimitError(what, limitMs)));
    work.then(resolve, reject).finally(() => timer.cancel());
  });
}

/** Running the event again cannot help: it goes straight to the dead letters, without retries. */
export class UnrecoverableError extends Error {
  readonly code: string;

  constructor(message: string, options: { code?: string; cause?: unknown } = {}) {
    super(message, { cause: options.cause });
    this.name = 'UnrecoverableError';
    this.code = options.code ?? 'EVENT_UNRECOVERABLE';
  }
}

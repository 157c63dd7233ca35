/** The run cannot begin. The message says what the user has to do; the command then ends with code 2. */
export class SetupError extends Error {
  readonly code = 'SIMULATOR_SETUP';

  constructor(message: string, options?: { cause: unknown }) {
    super(message, options);
    this.name = 'SetupError';
  }
}

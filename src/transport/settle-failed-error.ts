/** The transport could not note that a message is done. It stays unsettled and comes again. */
export class SettleFailedError extends Error {
  readonly code = 'TRANSPORT_SETTLE_FAILED';

  constructor(
    readonly topic: string,
    options: { cause: unknown },
  ) {
    super(`settling messages of ${topic} failed`, options);
    this.name = 'SettleFailedError';
  }
}

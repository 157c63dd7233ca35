/** Work went on after its transaction had ended, by the database itself or by a rollback: nothing of it was written. */
export class TransactionEndedError extends Error {
  readonly code = 'TRANSACTION_ENDED';

  constructor(options?: { cause: unknown }) {
    super('the transaction of this manager has ended', options);
    this.name = 'TransactionEndedError';
  }
}

/** Another process (or another instance in this one) owns the queue's file. Two owners would deliver a key twice at once. */
export class QueueFileInUseError extends Error {
  readonly code = 'TRANSPORT_FILE_IN_USE';

  constructor(
    readonly path: string,
    options: { cause: unknown },
  ) {
    super(`${path} is in use by another process; give each process a queue file of its own`, options);
    this.name = 'QueueFileInUseError';
  }
}

/**
 * An operator has paused the handler of this event: it waits, which costs it no attempt. The message is the same for each
 * event of a handler, so that all of them are one error group.
 */
export class HandlerPausedError extends Error {
  readonly code = 'HANDLER_PAUSED';

  constructor(handler: string) {
    super(`the handler ${handler} is paused`);
    this.name = 'HandlerPausedError';
  }
}

/** Consumers and subscriptions do not match. It stops the start: a topic that nobody consumes would fill up in silence. */
export class ConsumerWiringError extends Error {
  readonly code = 'TRANSPORT_CONSUMER_WIRING';

  constructor(
    readonly topic: string,
    reason: string,
  ) {
    super(`topic ${topic}: ${reason}`);
    this.name = 'ConsumerWiringError';
  }
}

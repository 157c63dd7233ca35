/** A subscription that this transport cannot serve as asked. Wrong wiring, not weather: trying again does not help. */
export class SubscriptionRefusedError extends Error {
  readonly code = 'TRANSPORT_SUBSCRIPTION_REFUSED';

  constructor(
    readonly topic: string,
    readonly group: string,
    reason: string,
    options?: { cause: unknown },
  ) {
    super(`group ${group} cannot subscribe to ${topic}: ${reason}`, options);
    this.name = 'SubscriptionRefusedError';
  }
}

/** What a publisher hands over. `orderingKey` decides the lane: messages of one key are delivered in publish order. */
export interface OutgoingMessage {
  readonly orderingKey: string;
  readonly body: string;
}

/** One delivery of one message to this process. Exactly one of `settle` and `comeBack` is called, at most once. */
export interface Delivery {
  /** Where it lies on the transport, for logs and history; not an identity of the event. */
  readonly position: string;
  readonly orderingKey: string;
  /** Text as published; foreign records on a shared topic may hold anything, also nothing. */
  readonly body: string;
  /** Aborts when the lane is taken away (rebalance, shutdown): results may no longer be settled from here. */
  readonly signal: AbortSignal;
  /**
   * The message is done. Resolves when the transport has noted it or will note it at the latest with a later settle;
   * a crash after it may still redeliver. Rejects when the lane was taken away: the message comes again elsewhere.
   */
  settle(): Promise<void>;
  /** Not settled: deliver it again after about `delayMs`, and nothing of its ordering key before it. */
  comeBack(delayMs: number): Promise<void>;
}

export interface SubscribeOptions {
  readonly topic: string;
  /** Consumer group; each group gets every message. */
  readonly group: string;
  /** At most this many deliveries a batch. */
  readonly batchSizeMax: number;
  /** At most this many batches in hand side by side. */
  readonly lanes: number;
}

/** Called with deliveries of distinct lanes or of one; those of one ordering key stand in publish order. */
export type ConsumeBatch = (batch: readonly Delivery[]) => Promise<void>;

export interface Subscription {
  /**
   * Takes no new message and resolves when all batches in hand have returned, at the latest after `limitMs`; then
   * aborts the signals of what is left. Nothing unsettled is lost.
   */
  stop(limitMs: number): Promise<void>;
}

export interface Backlog {
  /** Messages not yet settled, in hand or waiting; null when the transport cannot tell. */
  readonly unsettled: number | null;
}

/**
 * Wall 2: holds every acknowledged message, at least once, in order per ordering key.
 *
 * What it promises to all adapters' users (the contract suite checks each sentence):
 * - `publish` resolves only when the messages survive the end of any one process and, on one machine, a power cut.
 * - A message is delivered again until it is settled, also after a crash of the consumer.
 * - While a message of an ordering key is in hand or comes back, no later one of that key is delivered, to anyone,
 *   unless the lane was taken away (its signal has aborted).
 * - Different ordering keys do not wait for each other beyond the lanes asked for.
 * - A message in hand stays in hand however long its consumer takes: the adapter extends visibility by itself.
 * - A consumer that rejects, or returns without settling, settles nothing.
 *
 * What it leaves out on purpose: de-duplication, delayed publishing, retry topics, dead-lettering by count.
 */
export abstract class Transport {
  /**
   * Publishes in the given order. Rejects with `PublishFailedError` when the outcome is unknown: the messages may have
   * been written, all or some. Never waits longer than the adapter's own publish limit, also when the server hangs.
   */
  abstract publish(topic: string, messages: readonly OutgoingMessage[]): Promise<void>;

  abstract subscribe(options: SubscribeOptions, consume: ConsumeBatch): Promise<Subscription>;

  abstract backlog(topic: string, group: string): Promise<Backlog>;

  /** Null while it works; otherwise since when (ms) it does not, and why. Answers at once: it reports, it does not ask. */
  abstract trouble(): { since: number; reason: string } | null;

  /** Stops subscriptions first; idempotent. */
  abstract close(): Promise<void>;
}

/** A publish that was not acknowledged; it may have been written. */
export class PublishFailedError extends Error {
  readonly code = 'TRANSPORT_PUBLISH_FAILED';

  constructor(
    readonly topic: string,
    options: { cause: unknown },
  ) {
    super(`publishing to ${topic} was not acknowledged`, options);
    this.name = 'PublishFailedError';
  }
}

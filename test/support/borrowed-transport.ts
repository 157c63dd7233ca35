import { PublishFailedError, Transport } from '../../src/transport/transport.js';
import type {
  Backlog,
  ConsumeBatch,
  OutgoingMessage,
  SubscribeOptions,
  Subscription,
} from '../../src/transport/transport.js';

/**
 * A transport that several apps of one test work on, as processes share a broker. Each app gets its own; the one behind
 * them stays open until the test closes it. `isAway` plays a broker that this app cannot reach.
 */
export class BorrowedTransport extends Transport {
  isAway = false;

  constructor(private readonly shared: Transport) {
    super();
  }

  override async publish(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
    if (this.isAway) throw new PublishFailedError(topic, { cause: 'away' });
    await this.shared.publish(topic, messages);
  }

  override subscribe(options: SubscribeOptions, consume: ConsumeBatch): Promise<Subscription> {
    return this.shared.subscribe(options, consume);
  }

  override backlog(topic: string, group: string): Promise<Backlog> {
    return this.shared.backlog(topic, group);
  }

  override trouble(): { since: number; reason: string } | null {
    return this.isAway ? { since: 0, reason: 'away' } : this.shared.trouble();
  }

  override async close(): Promise<void> {
    // Its owner closes what is shared.
  }
}

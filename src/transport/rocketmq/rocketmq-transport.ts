import type { Clock } from '../../runtime/clock.js';
import { SubscriptionRefusedError } from '../subscription-refused-error.js';
import {
  PublishFailedError,
  Transport,
  type Backlog,
  type ConsumeBatch,
  type OutgoingMessage,
  type SubscribeOptions,
  type Subscription,
} from '../transport.js';
import type { RocketMqClients } from './rocketmq-client.js';
import { rocketMqName } from './rocketmq-names.js';
import { RocketMqPublisher } from './rocketmq-publisher.js';
import { reasonOf } from './rocketmq-reasons.js';
import { RocketMqSubscription } from './rocketmq-subscription.js';

export interface RocketMqTransportOptions {
  /** In front of all names of topics and groups; '' for none. */
  readonly namespace: string;
  readonly publishLimitMs: number;
  /** How long a message in hand is invisible to others; renewed at half time. At least ten seconds. */
  readonly visibilityMs: number;
  /** When a message comes back that its consumer neither settled nor gave back. */
  readonly defaultComeBackMs: number;
}

// The server's least for a receive.
const VISIBILITY_MS_MIN = 10_000;

/**
 * Wall 2 on RocketMQ 5 through its gRPC proxy. An ordering key is a message group of a FIFO topic; its queue orders more
 * than asked, so a message in hand holds the keys that share its queue. Topics and groups are made by the operator.
 */
export class RocketMqTransport extends Transport {
  private readonly publishers = new Map<string, RocketMqPublisher>();
  private readonly subscriptions = new Set<RocketMqSubscription>();
  private closing: Promise<void> | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly clients: RocketMqClients,
    private readonly options: RocketMqTransportOptions,
  ) {
    super();
    if (options.visibilityMs < VISIBILITY_MS_MIN)
      throw new RangeError(`visibilityMs must be at least ${VISIBILITY_MS_MIN}`);
  }

  /** Starts to connect for sending to these topics; after at most `limitMs` it goes on in the background. */
  async open(topics: readonly string[], limitMs: number): Promise<void> {
    const starting = Promise.all(topics.map((topic) => this.publisher(topic).started));
    await new Promise<void>((resolve) => {
      const timer = this.clock.after(limitMs, resolve);
      void starting.then(() => {
        timer.cancel();
        resolve();
      });
    });
  }

  override async publish(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
    if (messages.length === 0) return;
    if (this.closing !== null) throw new PublishFailedError(topic, { cause: new Error('the transport is closed') });
    await this.publisher(topic).publish(messages);
  }

  override async subscribe(options: SubscribeOptions, consume: ConsumeBatch): Promise<Subscription> {
    const { topic, group, lanes, batchSizeMax } = options;
    const refuse = (reason: string, cause?: unknown): never => {
      throw new SubscriptionRefusedError(topic, group, reason, { cause });
    };
    if (this.closing !== null) refuse('the transport is closed');
    if (!(lanes >= 1 && batchSizeMax >= 1)) refuse('lanes and batchSizeMax must be at least 1');
    const { visibilityMs, defaultComeBackMs } = this.options;
    const [fullTopic, fullGroup] = [this.fullName(topic), this.fullName(group)];
    const parts = { clock: this.clock, clients: this.clients, visibilityMs, defaultComeBackMs };
    const subscription = new RocketMqSubscription({ ...parts, fullTopic, fullGroup }, options, consume);
    this.subscriptions.add(subscription);
    const first = await subscription.start();
    if (first.kind === 'refused') {
      await this.end(subscription);
      refuse(reasonOf(first.cause), first.cause);
    }
    return {
      stop: async (limitMs) => {
        await subscription.stop(limitMs);
        // Its client goes when its last long poll has ended; nobody needs to wait for that but `close`.
        void this.end(subscription);
      },
    };
  }

  /** The proxy does not tell. */
  override async backlog(_topic: string, _group: string): Promise<Backlog> {
    return { unsettled: null };
  }

  override trouble(): { since: number; reason: string } | null {
    for (const part of [...this.publishers.values(), ...this.subscriptions]) {
      const trouble = part.trouble();
      if (trouble !== null) return trouble;
    }
    return null;
  }

  override close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private async closeOnce(): Promise<void> {
    await Promise.all([...this.subscriptions].map((subscription) => this.end(subscription)));
    await Promise.all([...this.publishers.values()].map((publisher) => publisher.close()));
  }

  private async end(subscription: RocketMqSubscription): Promise<void> {
    await subscription.close();
    this.subscriptions.delete(subscription);
  }

  private publisher(topic: string): RocketMqPublisher {
    let publisher = this.publishers.get(topic);
    if (publisher === undefined) {
      const fullTopic = this.fullName(topic);
      const { publishLimitMs } = this.options;
      publisher = new RocketMqPublisher(this.clock, this.clients, { topic, fullTopic, publishLimitMs });
      this.publishers.set(topic, publisher);
    }
    return publisher;
  }

  private fullName(name: string): string {
    return rocketMqName(this.options.namespace, name);
  }
}

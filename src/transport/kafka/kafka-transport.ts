import type { KafkaConfig } from '../../config/kafka-config.js';
import type { Clock, Timer } from '../../runtime/clock.js';
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
import { Trouble } from '../trouble.js';
import { connectionSettings, consumerSettings, producerSettings } from './client-settings.js';
import { groupBacklog } from './group-backlog.js';
import type { ClientSettings, KafkaClient } from './kafka-client.js';
import { KafkaProducer } from './kafka-producer.js';
import { KafkaSubscription } from './kafka-subscription.js';
import { TopicsCheck, type TopicWarning } from './topics-check.js';

export interface KafkaTransportOptions {
  readonly broker: KafkaConfig;
  readonly clientId: string;
  /** Topics to be looked at, and created if the settings say so. */
  readonly topics: readonly string[];
  readonly publishTimeoutMs: number;
  readonly messageBytesMax: number;
  readonly defaultComeBackMs: number;
  readonly revokeLimitMs: number;
  /** Tests set what a deployment must not; it comes last. */
  readonly clientSettings?: ClientSettings;
}

// Tells whether replicas fell behind; what is missing is looked for more often.
const CHECK_TOPICS_EVERY_MS = 60_000;
const CHECK_TOPICS_AGAIN_MS = 5_000;
const PROBE_LIMIT_MS = 1_000;

export type TopicsChecked = (warnings: readonly TopicWarning[]) => void;

/**
 * Kafka, for any number of gateways and workers. Opens no connection of its own to decide anything: whether a message is
 * there is the producer's acknowledgement by all replicas in sync, whether it is done the group's committed offset.
 */
export class KafkaTransport extends Transport {
  private readonly producer: KafkaProducer;
  private readonly publishTrouble: Trouble;
  private readonly consumeTrouble: Trouble;
  private readonly subscriptions = new Map<string, KafkaSubscription>();
  private readonly reachable: Promise<void>;
  private topicWarnings: readonly TopicWarning[] = [];
  private checkTimer: Timer | null = null;
  private closing: Promise<void> | null = null;

  constructor(
    private readonly client: KafkaClient,
    private readonly clock: Clock,
    private readonly options: KafkaTransportOptions,
    private readonly onTopicsChecked: TopicsChecked = () => undefined,
  ) {
    super();
    this.publishTrouble = new Trouble(clock, () => this.probe());
    // A subscription polls all the time and reports by itself.
    this.consumeTrouble = new Trouble(clock, () => undefined);
    let reached: () => void = () => undefined;
    this.reachable = new Promise((resolve) => (reached = resolve));
    const settings = this.settings(producerSettings(options.publishTimeoutMs, options.messageBytesMax));
    const { publishTimeoutMs } = options;
    this.producer = new KafkaProducer(client, clock, this.publishTrouble, { settings, publishTimeoutMs }, () => {
      reached();
      void this.checkTopics();
    });
  }

  /** Begins to connect. Does not wait for it: a gateway starts without brokers, with its spool. */
  open(): void {
    this.producer.start();
  }

  override async publish(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
    if (messages.length === 0) return;
    try {
      await this.producer.publish(topic, messages);
    } catch (cause) {
      throw new PublishFailedError(topic, { cause });
    }
  }

  override async subscribe(options: SubscribeOptions, consume: ConsumeBatch): Promise<Subscription> {
    const { topic, group, lanes, batchSizeMax } = options;
    const refuse = (reason: string): never => {
      throw new SubscriptionRefusedError(topic, group, reason);
    };
    const id = JSON.stringify([topic, group]);
    if (!(lanes >= 1 && batchSizeMax >= 1)) refuse('lanes and batchSizeMax must be at least 1');
    if (this.closing !== null) refuse('the transport is closed');
    if (this.subscriptions.has(id)) refuse('this process has it already; ask for more lanes instead');
    const { client, clock, consumeTrouble: trouble } = this;
    const { defaultComeBackMs, revokeLimitMs, messageBytesMax } = this.options;
    const settings = this.settings(consumerSettings(group, messageBytesMax));
    const parts = { client, clock, trouble, settings, defaultComeBackMs, revokeLimitMs };
    const subscription = new KafkaSubscription(parts, options, consume);
    this.subscriptions.set(id, subscription);
    subscription.start(this.reachable);
    return { stop: (limitMs) => this.stop(id, subscription, limitMs) };
  }

  override async backlog(topic: string, group: string): Promise<Backlog> {
    const { connection } = this.producer;
    if (connection === null) return { unsettled: null };
    try {
      return { unsettled: await groupBacklog(this.client, connection, topic, group) };
    } catch {
      // Whether the brokers can be reached is for publishing and polling to say.
      return { unsettled: null };
    }
  }

  override trouble(): { since: number; reason: string } | null {
    return this.publishTrouble.state() ?? this.consumeTrouble.state();
  }

  /** Of the latest look at the topics. */
  warnings(): readonly TopicWarning[] {
    return this.topicWarnings;
  }

  override close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private settings(own: ClientSettings): ClientSettings {
    return {
      ...connectionSettings(this.options.broker, this.options.clientId),
      ...own,
      ...this.options.clientSettings,
    };
  }

  private probe(): void {
    const { connection } = this.producer;
    // While there is none, connecting tries by itself.
    if (connection === null) return;
    connection.getMetadata({ timeout: PROBE_LIMIT_MS }, (error) => {
      if (!error && this.closing === null) this.publishTrouble.worked();
    });
  }

  private async checkTopics(): Promise<void> {
    const { connection } = this.producer;
    if (connection === null || this.closing !== null) return;
    const { broker, topics, messageBytesMax } = this.options;
    let nextInMs = CHECK_TOPICS_AGAIN_MS;
    try {
      const check = new TopicsCheck(this.client, this.clock, { topics, wanted: broker.topics, messageBytesMax });
      this.topicWarnings = await check.run(connection);
      this.onTopicsChecked(this.topicWarnings);
      if (!this.topicWarnings.some(({ kind }) => kind === 'missing')) nextInMs = CHECK_TOPICS_EVERY_MS;
    } catch {
      // No broker answered, which shows elsewhere.
    }
    this.checkTimer?.cancel();
    if (this.closing !== null) return;
    this.checkTimer = this.clock.after(nextInMs, () => void this.checkTopics());
  }

  private async stop(id: string, subscription: KafkaSubscription, limitMs: number): Promise<void> {
    await subscription.stop(limitMs);
    if (this.subscriptions.get(id) === subscription) this.subscriptions.delete(id);
  }

  /** Who wants to give batches in hand time to end stops the subscriptions before, with a limit. */
  private async closeOnce(): Promise<void> {
    this.checkTimer?.cancel();
    // First, so that the last errors leave no timer behind.
    this.publishTrouble.close();
    this.consumeTrouble.close();
    await Promise.all([...this.subscriptions].map(([id, subscription]) => this.stop(id, subscription, 0)));
    await this.producer.close();
  }
}

import { SystemClock } from '../../src/runtime/system-clock.js';
import type { ClientSettings, KafkaClient } from '../../src/transport/kafka/kafka-client.js';
import { KafkaTransport, type KafkaTransportOptions } from '../../src/transport/kafka/kafka-transport.js';
import type { ConsumeBatch, SubscribeOptions, Transport } from '../../src/transport/transport.js';
import { testBroker } from '../contract/transport.kafka-harness.js';
import type { KafkaServer } from './kafka-server.js';
import { until } from './until.js';

let worlds = 0;

/** A topic of its own on a server that runs, and the transports that a test opens on it. */
export class KafkaWorld {
  readonly topic = `world.${process.pid}.${(worlds += 1)}`;
  private readonly transports: KafkaTransport[] = [];
  private readonly checked = new Set<KafkaTransport>();

  constructor(
    readonly server: Pick<KafkaServer, 'addresses'>,
    private readonly client: KafkaClient,
    private readonly partitions = 4,
  ) {}

  /** Resolves when the topic is there. */
  async open(settings: ClientSettings = {}, options: Partial<KafkaTransportOptions> = {}): Promise<KafkaTransport> {
    const transport = this.openUnready(settings, options);
    await this.topicReady(transport);
    return transport;
  }

  async topicReady(transport: KafkaTransport, limitMs = 30_000): Promise<void> {
    const isReady = (): boolean => this.checked.has(transport) && transport.warnings().length === 0;
    await until(isReady, limitMs, 'the topic is there');
  }

  openUnready(clientSettings: ClientSettings = {}, options: Partial<KafkaTransportOptions> = {}): KafkaTransport {
    const all: KafkaTransportOptions = {
      broker: testBroker(this.server.addresses, this.partitions),
      clientId: this.topic,
      topics: [this.topic],
      publishTimeoutMs: 1_500,
      messageBytesMax: 2_097_152,
      defaultComeBackMs: 20,
      revokeLimitMs: 2_000,
      clientSettings,
      ...options,
    };
    const transport = new KafkaTransport(this.client, new SystemClock(), all, () => this.checked.add(transport));
    this.transports.push(transport);
    transport.open();
    return transport;
  }

  subscription(options: Partial<SubscribeOptions> = {}): SubscribeOptions {
    return { topic: this.topic, group: `${this.topic}.group`, batchSizeMax: 20, lanes: 2, ...options };
  }

  async close(): Promise<void> {
    await Promise.all(this.transports.map((transport) => transport.close()));
  }
}

/** Messages of numbered bodies under a few keys, published until each is acknowledged: one key in order. */
export class LoadLedger {
  readonly acknowledged: string[] = [];
  /** Highest number delivered first time of each key, and what was wrong about an order. */
  readonly inversions: string[] = [];
  readonly deliveries = new Map<string, number>();
  publishFailures = 0;
  slowestPublishMs = 0;
  private readonly highest = new Map<string, number>();
  private isStopped = false;

  /** Each key waits for its acknowledgement before its next message, as a spool would. */
  async publish(transport: Transport, topic: string, keys: number, perKey: number): Promise<void> {
    await Promise.all(
      Array.from({ length: keys }, async (_, key) => {
        for (let number = 1; number <= perKey && !this.isStopped; number += 1) {
          await this.publishOne(transport, topic, `k${key}`, number);
        }
      }),
    );
  }

  stop(): void {
    this.isStopped = true;
  }

  /** Notes first deliveries and repeats, then settles. */
  consumer(work: () => Promise<void> = () => Promise.resolve()): ConsumeBatch {
    return async (batch) => {
      for (const { orderingKey, body } of batch) this.note(orderingKey, body);
      await work();
      await Promise.all(batch.map((delivery) => delivery.settle().catch(() => undefined)));
    };
  }

  get repeats(): number {
    return [...this.deliveries.values()].reduce((sum, times) => sum + times - 1, 0);
  }

  lost(): string[] {
    return this.acknowledged.filter((body) => !this.deliveries.has(body));
  }

  private async publishOne(transport: Transport, topic: string, orderingKey: string, number: number): Promise<void> {
    const body = `${orderingKey}:${number}`;
    for (;;) {
      const begin = performance.now();
      try {
        await transport.publish(topic, [{ orderingKey, body }]);
        this.acknowledged.push(body);
        return;
      } catch {
        this.publishFailures += 1;
        await new Promise((resolve) => setTimeout(resolve, 50));
      } finally {
        this.slowestPublishMs = Math.max(this.slowestPublishMs, performance.now() - begin);
      }
    }
  }

  private note(orderingKey: string, body: string): void {
    const number = Number(body.split(':')[1]);
    const highest = this.highest.get(orderingKey) ?? 0;
    const isFirst = !this.deliveries.has(body);
    this.deliveries.set(body, (this.deliveries.get(body) ?? 0) + 1);
    // A repeat may come late; what comes for the first time must be the next one.
    if (isFirst && number !== highest + 1) this.inversions.push(`${body} after ${highest}`);
    this.highest.set(orderingKey, Math.max(highest, number));
  }
}

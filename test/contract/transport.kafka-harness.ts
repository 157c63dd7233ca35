import { SystemClock } from '../../src/runtime/system-clock.js';
import type { KafkaConfig } from '../../src/config/kafka-config.js';
import type { ClientSettings, KafkaClient } from '../../src/transport/kafka/kafka-client.js';
import { KafkaTransport } from '../../src/transport/kafka/kafka-transport.js';
import {
  PublishFailedError,
  Transport,
  type Backlog,
  type ConsumeBatch,
  type OutgoingMessage,
  type SubscribeOptions,
  type Subscription,
} from '../../src/transport/transport.js';
import type { KafkaServer } from '../support/kafka-server.js';
import { until } from '../support/until.js';
import { TOPIC } from './transport.scenario-parts.js';
import type { TransportFeatures, TransportHarness } from './transport.suite.js';

export const kafkaFeatures: TransportFeatures = {
  secondGroup: true,
  takeover: true,
  // An offset moves only past what is settled, and a moment later.
  settleIsDurable: false,
  visibilityMs: null,
  bodyBytesMax: 900_000,
};

const SCENARIO_TOPICS = [TOPIC, `${TOPIC}.dlq`];
let scenarios = 0;

export function testBroker(brokers: readonly string[], partitions = 4): KafkaConfig {
  const topics = { create: true, partitions, replicationFactor: 0, retentionMs: 3_600_000 };
  return { engine: 'kafka', brokers, sasl: null, tls: null, topics };
}

/** Every scenario has topics and groups of its own on one broker: each name gets the scenario's number behind it. */
class NumberedTransport extends Transport {
  constructor(
    readonly inner: KafkaTransport,
    private readonly suffix: string,
  ) {
    super();
  }

  override async publish(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
    try {
      await this.inner.publish(topic + this.suffix, messages);
    } catch (error) {
      throw error instanceof PublishFailedError ? new PublishFailedError(topic, { cause: error.cause }) : error;
    }
  }

  override subscribe(options: SubscribeOptions, consume: ConsumeBatch): Promise<Subscription> {
    const { topic, group } = options;
    return this.inner.subscribe({ ...options, topic: topic + this.suffix, group: group + this.suffix }, consume);
  }

  override backlog(topic: string, group: string): Promise<Backlog> {
    return this.inner.backlog(topic + this.suffix, group + this.suffix);
  }

  override trouble(): { since: number; reason: string } | null {
    return this.inner.trouble();
  }

  override close(): Promise<void> {
    return this.inner.close();
  }
}

/** On a broker that the suite has started. A crash is the end of the instance without a word to its consumers. */
export class KafkaHarness implements TransportHarness {
  readonly features = kafkaFeatures;
  readonly patienceMs = 30_000;
  private readonly instances: NumberedTransport[] = [];
  private readonly suffix = `.${process.pid}.${(scenarios += 1)}`;

  constructor(
    private readonly server: KafkaServer,
    private readonly client: KafkaClient,
    private readonly clientSettings: ClientSettings = {},
  ) {}

  make(): Promise<Transport> {
    return this.open();
  }

  /** Leaves the group at once, which a crash would do by time-out; nothing in hand is settled by it. */
  async reopen(): Promise<Transport> {
    await this.instances.at(-1)!.close();
    return this.open();
  }

  peer(): Promise<Transport> {
    return this.open();
  }

  async fail(): Promise<void> {
    this.server.broker.pause();
  }

  async heal(): Promise<void> {
    this.server.broker.resume();
  }

  async close(): Promise<void> {
    this.server.broker.resume();
    for (const instance of this.instances) await instance.close();
  }

  private async open(): Promise<Transport> {
    let isChecked = false;
    const checked = (): void => void (isChecked = true);
    const transport = new KafkaTransport(
      this.client,
      new SystemClock(),
      {
        broker: testBroker(this.server.addresses),
        clientId: `contract${this.suffix}`,
        topics: SCENARIO_TOPICS.map((topic) => topic + this.suffix),
        publishTimeoutMs: 2_000,
        messageBytesMax: 2_097_152,
        defaultComeBackMs: 20,
        revokeLimitMs: 500,
        clientSettings: this.clientSettings,
      },
      checked,
    );
    const numbered = new NumberedTransport(transport, this.suffix);
    this.instances.push(numbered);
    transport.open();
    await until(() => isChecked && transport.warnings().length === 0, 20_000, 'the topics are there');
    return numbered;
  }
}

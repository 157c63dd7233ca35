import { loadKafkaClient } from '../../src/transport/kafka/load-kafka-client.js';
import { groupBacklog } from '../../src/transport/kafka/group-backlog.js';
import { KafkaServer } from './kafka-server.js';
import { RocketMqServer } from './rocketmq-server.js';
import { TcpProxy } from './tcp-proxy.js';

const EVENTS = 'events';
const DEAD_LETTERS = 'dead-letters';
const WORKERS = 'workers';
const DEAD_LETTER_WORKERS = 'dead-letter-workers';

/** A broker as a fault sees it. Each method resolves when it is done; `run` when clients are served again. */
export interface TestBroker {
  /** What a process needs to find it, and topics and groups that it shares with no other prefix. */
  env(prefix: string): Record<string, string>;
  kill(): Promise<void>;
  run(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Events and dead letters that nobody has settled. */
  backlog(prefix: string): Promise<number>;
  stop(): Promise<void>;
  /**
   * What all clients of the service pass, when `wired` was asked for. None with RocketMQ: its proxy leads clients back to
   * its own port, whatever they came through.
   */
  readonly wires: readonly TcpProxy[];
}

export interface BrokerChoice {
  readonly transport: 'kafka' | 'rocketmq';
  /** Of Kafka; 1 if not given. */
  readonly brokers?: number;
  readonly wired?: boolean;
  /** A RocketMQ has to know its topics before it starts. */
  readonly prefixes: readonly string[];
}

export function startBroker({ transport, brokers = 1, wired = false, prefixes }: BrokerChoice): Promise<TestBroker> {
  return transport === 'kafka' ? KafkaUnderTest.start(brokers, wired) : RocketMqUnderTest.start(prefixes);
}

function topicsAndGroups(prefix: string): Record<string, string> {
  return {
    ...{ EVENTS_TOPIC: `${prefix}.${EVENTS}`, DLQ_TOPIC: `${prefix}.${DEAD_LETTERS}` },
    ...{ EVENTS_GROUP: `${prefix}.${WORKERS}`, DLQ_GROUP: `${prefix}.${DEAD_LETTER_WORKERS}` },
  };
}

/** All brokers of a Kafka fail together; single ones are at `server.brokers`. */
export class KafkaUnderTest implements TestBroker {
  private constructor(readonly server: KafkaServer) {}

  static async start(brokers: number, wired: boolean): Promise<KafkaUnderTest> {
    return new KafkaUnderTest(await KafkaServer.start({ brokers, wired }));
  }

  get wires(): readonly TcpProxy[] {
    return this.server.wires;
  }

  env(prefix: string): Record<string, string> {
    return { KAFKA_BROKERS: this.server.addresses.join(','), ...topicsAndGroups(prefix) };
  }

  async kill(): Promise<void> {
    await Promise.all(this.server.brokers.map((broker) => broker.kill()));
  }

  async run(): Promise<void> {
    for (const broker of this.server.brokers) broker.start();
    await this.server.ready();
  }

  pause(): void {
    for (const broker of this.server.brokers) broker.pause();
  }

  resume(): void {
    for (const broker of this.server.brokers) broker.resume();
  }

  async backlog(prefix: string): Promise<number> {
    const client = await loadKafkaClient();
    const producer = new client.Producer({ 'bootstrap.servers': this.server.plainAddresses.join(',') });
    await new Promise<void>((resolve, reject) =>
      producer.connect({ timeout: 5_000 }, (error) => (error ? reject(error) : resolve())),
    );
    try {
      const ask = (topic: string, group: string): Promise<number> =>
        groupBacklog(client, producer, `${prefix}.${topic}`, `${prefix}.${group}`);
      return (await ask(EVENTS, WORKERS)) + (await ask(DEAD_LETTERS, DEAD_LETTER_WORKERS));
    } finally {
      await new Promise<void>((resolve) => producer.disconnect(1_000, () => resolve()));
    }
  }

  async stop(): Promise<void> {
    await this.server.stop();
  }
}

export class RocketMqUnderTest implements TestBroker {
  readonly wires: readonly TcpProxy[] = [];

  private constructor(readonly server: RocketMqServer) {}

  static async start(prefixes: readonly string[]): Promise<RocketMqUnderTest> {
    const named = (...names: string[]): string[] =>
      prefixes.flatMap((prefix) => names.map((name) => `${prefix}-${name}`));
    const wanted = { topics: named(EVENTS, DEAD_LETTERS), groups: named(WORKERS, DEAD_LETTER_WORKERS) };
    return new RocketMqUnderTest(await RocketMqServer.start(wanted));
  }

  env(prefix: string): Record<string, string> {
    return { ROCKETMQ_ENDPOINTS: this.server.endpoints, ...topicsAndGroups(prefix) };
  }

  kill(): Promise<void> {
    return this.server.kill();
  }

  run(): Promise<void> {
    return this.server.run();
  }

  pause(): void {
    this.server.pause();
  }

  resume(): void {
    this.server.resume();
  }

  /** The proxy does not tell; the broker's own tool does, in its last line. */
  async backlog(prefix: string): Promise<number> {
    const events = await this.unsettled(`${prefix}-${EVENTS}`, `${prefix}-${WORKERS}`);
    return events + (await this.unsettled(`${prefix}-${DEAD_LETTERS}`, `${prefix}-${DEAD_LETTER_WORKERS}`));
  }

  private async unsettled(topic: string, group: string): Promise<number> {
    // Without the topic the tool asks for the group's retry topic, which is not there before a first retry.
    const told = await this.server.admin('consumerProgress', '-g', group, '-t', topic);
    const [, total] = /Diff Total:\s*(\d+)/.exec(told) ?? [];
    if (total === undefined) throw new Error(`no progress of ${group} on ${topic}: ${told}`);
    return Number(total);
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}

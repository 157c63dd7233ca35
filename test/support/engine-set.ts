import type { RowDataPacket } from 'mysql2/promise';
import { loadKafkaClient } from '../../src/transport/kafka/load-kafka-client.js';
import { groupBacklog } from '../../src/transport/kafka/group-backlog.js';
import { KafkaServer } from './kafka-server.js';
import { startMariaDb, type MariaDbServer } from './mariadb-server.js';
import { RedisServer } from './redis-server.js';
import { RocketMqServer } from './rocketmq-server.js';

/** Topics and groups of the product's defaults, so that every cluster on one broker has its own behind a prefix. */
const EVENTS = 'events';
const DEAD_LETTERS = 'dead-letters';
const WORKERS = 'workers';
const DEAD_LETTER_WORKERS = 'dead-letter-workers';
/** Prefixes that a RocketMQ knows, since its topics are written before it starts. */
const PREFIXES = ['c1', 'c2', 'c3', 'c4'];

/** A broker as a fault sees it. Each method resolves when it is done; `run` when clients are served again. */
export interface TestBroker {
  /** What a process needs to find it, with topics of its own for each `prefix`. */
  env(prefix: string): Record<string, string>;
  kill(): Promise<void>;
  run(): Promise<void>;
  pause(): void;
  resume(): void;
  /** Events and dead letters that nobody has settled. */
  backlog(prefix: string): Promise<number>;
  stop(): Promise<void>;
}

export type TestDatabase = Pick<
  MariaDbServer,
  'url' | 'createDatabase' | 'start' | 'kill' | 'pause' | 'resume' | 'stop' | 'root'
>;

export interface EngineChoice {
  readonly transport: 'kafka' | 'rocketmq';
  readonly store: 'mariadb' | 'mysql';
  /** Of Kafka; 1 if not given. */
  readonly brokers?: number;
}

/** Redis, a broker and a database server, each real and on ports of its own. */
export class EngineSet {
  private readonly databases = new Map<string, string>();

  private constructor(
    readonly choice: EngineChoice,
    readonly redis: RedisServer,
    readonly broker: TestBroker,
    readonly database: TestDatabase,
  ) {}

  /** `database` is given where it is no MariaDB, or where it is shared. */
  static async start(choice: EngineChoice, database: () => Promise<TestDatabase> = startMariaDb): Promise<EngineSet> {
    const starts = [RedisServer.start(), startBroker(choice), database()] as const;
    const [redis, broker, store] = await Promise.allSettled(starts);
    const failed = [redis, broker, store].find((one) => one.status === 'rejected');
    if (redis.status === 'fulfilled' && broker.status === 'fulfilled' && store.status === 'fulfilled')
      return new EngineSet(choice, redis.value, broker.value, store.value);
    for (const one of [redis, broker, store]) if (one.status === 'fulfilled') await one.value.stop();
    throw failed?.reason;
  }

  /** Settings of a cluster that shares nothing with those of another prefix; an empty database is made for it. */
  async env(prefix: string): Promise<Record<string, string>> {
    const { transport, store } = this.choice;
    const { host, port } = this.redis.address;
    const database = await this.database.createDatabase();
    this.databases.set(prefix, database);
    return {
      ...{ GUARD: 'redis', REDIS_URL: `redis://${host}:${port}/${Math.max(0, PREFIXES.indexOf(prefix))}` },
      ...{ STORE: store, DATABASE_URL: this.database.url(database) },
      ...{ TRANSPORT: transport, ...this.broker.env(prefix) },
      ...{ EVENTS_TOPIC: `${prefix}.${EVENTS}`, DLQ_TOPIC: `${prefix}.${DEAD_LETTERS}` },
      ...{ EVENTS_GROUP: `${prefix}.${WORKERS}`, DLQ_GROUP: `${prefix}.${DEAD_LETTER_WORKERS}` },
    };
  }

  /** The first column of the only row, from the database of that prefix: its own word, without the service. */
  async ask(prefix: string, sql: string): Promise<number> {
    const connection = await this.database.root.getConnection();
    try {
      await connection.query(`USE ${this.databases.get(prefix)}`);
      const [[row]] = await connection.query<RowDataPacket[]>(sql);
      return Number(Object.values(row ?? {})[0]);
    } finally {
      connection.release();
    }
  }

  async stop(): Promise<void> {
    await Promise.all([this.redis.stop(), this.broker.stop(), this.database.stop()]);
  }
}

async function startBroker({ transport, brokers = 1 }: EngineChoice): Promise<TestBroker> {
  return transport === 'kafka' ? KafkaUnderTest.start(brokers) : RocketMqUnderTest.start();
}

/** All brokers of a Kafka fail together; single ones are at `server.brokers`. */
export class KafkaUnderTest implements TestBroker {
  private constructor(readonly server: KafkaServer) {}

  static async start(brokers: number): Promise<KafkaUnderTest> {
    return new KafkaUnderTest(await KafkaServer.start({ brokers }));
  }

  env(): Record<string, string> {
    return { KAFKA_BROKERS: this.server.addresses.join(',') };
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
    const producer = new client.Producer({ 'bootstrap.servers': this.server.addresses.join(',') });
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
  private constructor(readonly server: RocketMqServer) {}

  static async start(): Promise<RocketMqUnderTest> {
    const named = (...names: string[]): string[] =>
      PREFIXES.flatMap((prefix) => names.map((name) => `${prefix}-${name}`));
    const wanted = { topics: named(EVENTS, DEAD_LETTERS), groups: named(WORKERS, DEAD_LETTER_WORKERS) };
    return new RocketMqUnderTest(await RocketMqServer.start(wanted));
  }

  env(): Record<string, string> {
    return { ROCKETMQ_ENDPOINTS: this.server.endpoints };
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

  /** The proxy does not tell; the broker's own tool does, in its last lines. */
  async backlog(prefix: string): Promise<number> {
    let sum = 0;
    for (const group of [WORKERS, DEAD_LETTER_WORKERS]) {
      const told = await this.server.admin('consumerProgress', '-g', `${prefix}-${group}`);
      const total = /Diff Total:\s*(\d+)/.exec(told);
      if (!total) throw new Error(`consumerProgress tells no total: ${told}`);
      sum += Number(total[1]);
    }
    return sum;
  }

  stop(): Promise<void> {
    return this.server.stop();
  }
}

import type { RowDataPacket } from 'mysql2/promise';
import { startMariaDb, type MariaDbServer } from './mariadb-server.js';
import { RedisServer } from './redis-server.js';
import { startBroker, type TestBroker } from './test-broker.js';

/** Of the clusters that may share one set, each with topics, a database and a Redis database of its own. */
const PREFIXES = ['c1', 'c2', 'c3', 'c4'];

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
    const starts = [RedisServer.start(), startBroker({ ...choice, prefixes: PREFIXES }), database()] as const;
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

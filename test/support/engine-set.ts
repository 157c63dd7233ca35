import type { RowDataPacket } from 'mysql2/promise';
import { startMariaDb, startMySql, type DatabaseServer } from './database-server.js';
import { RedisServer } from './redis-server.js';
import { startBroker, type TestBroker } from './test-broker.js';

/** Of the clusters that may share one set, each with topics, a database and a Redis database of its own. */
const PREFIXES = ['c1', 'c2', 'c3', 'c4'];

export interface EngineChoice {
  readonly transport: 'kafka' | 'rocketmq';
  readonly store: 'mariadb' | 'mysql';
  /** Of Kafka; 1 if not given. */
  readonly brokers?: number;
  /** A TCP proxy before the broker, for the faults of a network. */
  readonly wired?: boolean;
}

/** Redis and a broker, which sets with different databases may share. */
export interface SharedEngines {
  readonly transport: EngineChoice['transport'];
  readonly redis: RedisServer;
  readonly broker: TestBroker;
}

export async function startSharedEngines({
  transport,
  brokers,
  wired = false,
}: Omit<EngineChoice, 'store'>): Promise<SharedEngines> {
  const broker = startBroker({ transport, prefixes: PREFIXES, wired, ...(brokers === undefined ? {} : { brokers }) });
  const [redis] = await Promise.all([RedisServer.start(), broker]);
  return { transport, redis, broker: await broker };
}

export async function stopSharedEngines(shared: SharedEngines | null): Promise<void> {
  await Promise.all([shared?.redis.stop(), shared?.broker.stop()]);
}

/** Redis, a broker and a database server, each real and on ports of its own. */
export class EngineSet {
  private readonly databases = new Map<string, string>();

  constructor(
    private readonly shared: SharedEngines,
    readonly database: DatabaseServer,
  ) {}

  static async start(choice: EngineChoice): Promise<EngineSet> {
    const shared = await startSharedEngines(choice);
    const start = choice.store === 'mysql' ? startMySql : startMariaDb;
    const database = await start().catch(async (error: unknown) => {
      await stopSharedEngines(shared);
      throw error;
    });
    return new EngineSet(shared, database);
  }

  get redis(): RedisServer {
    return this.shared.redis;
  }

  get broker(): TestBroker {
    return this.shared.broker;
  }

  /** Settings of a cluster that shares nothing with those of another prefix; an empty database is made for it. */
  async env(prefix: string): Promise<Record<string, string>> {
    const { host, port } = this.redis.address;
    const database = await this.database.createDatabase();
    this.databases.set(prefix, database);
    return {
      ...{ GUARD: 'redis', REDIS_URL: `redis://${host}:${port}/${Math.max(0, PREFIXES.indexOf(prefix))}` },
      ...{ STORE: this.database.engine, DATABASE_URL: this.database.url(database) },
      ...{ TRANSPORT: this.shared.transport, ...this.broker.env(prefix) },
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
    await Promise.all([stopSharedEngines(this.shared), this.database.stop()]);
  }
}

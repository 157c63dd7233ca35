import { Global, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { join } from 'node:path';
import { CONFIG, type Config } from '../config/config.js';
import type { RocketMqConfig } from '../config/rocketmq-config.js';
import { HealthRegistry, healthOf, type PartHealth } from '../observability/health-registry.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { fencedClients } from './rocketmq/fenced-clients.js';
import { loadClientLibrary } from './rocketmq/load-client-library.js';
import { RocketMqTransport } from './rocketmq/rocketmq-transport.js';
import { SqliteTransport } from './sqlite/sqlite-transport.js';
import { Transport } from './transport.js';

const GROUP_COMMIT_MAX = 1_000;
const DEFAULT_COME_BACK_MS = 1_000;
// A start does not wait long for a broker that is away: the spool takes the events.
const OPEN_LIMIT_MS = 2_000;
// The server takes no less.
const VISIBILITY_MS_MIN = 10_000;

const transport: Provider = {
  provide: Transport,
  inject: [CONFIG, Clock, HealthRegistry, Log],
  useFactory: async (config: Config, clock: Clock, health: HealthRegistry, log: Log): Promise<Transport> => {
    if (config.transport.engine === 'rocketmq') {
      const rocketMq = await openRocketMq(config, config.transport, clock, log);
      health.register({ name: 'transport', check: () => healthOf(rocketMq.trouble(), 'degraded') });
      return rocketMq;
    }
    const sqlite = new SqliteTransport(clock, {
      path: join(config.dataDir, 'queue.sqlite'),
      groupCommitMax: GROUP_COMMIT_MAX,
      defaultComeBackMs: DEFAULT_COME_BACK_MS,
    });
    sqlite.open();
    const served = [config.eventsTopic, config.dlqTopic];
    for (const { topic, count } of sqlite.stranded(served)) log.warn('transport.topic.stranded', { topic, count });
    health.register({ name: 'transport', check: () => checkTransport(sqlite, served) });
    return sqlite;
  },
};

async function openRocketMq(
  config: Config,
  { endpoints, namespace, credentials }: RocketMqConfig,
  clock: Clock,
  log: Log,
): Promise<Transport> {
  const clients = fencedClients(await loadClientLibrary(), clock, {
    endpoints,
    credentials,
    requestTimeoutMs: config.publishTimeoutMs,
    debug: (text) => log.debug('transport.client_said', { text }),
  });
  const transport = new RocketMqTransport(clock, clients, {
    namespace,
    publishLimitMs: config.publishTimeoutMs,
    // As long as the lease: whoever takes a message over earlier waits for the lease's end.
    visibilityMs: Math.max(config.leaseTtlMs, VISIBILITY_MS_MIN),
    defaultComeBackMs: DEFAULT_COME_BACK_MS,
  });
  await transport.open([config.eventsTopic, config.dlqTopic], OPEN_LIMIT_MS);
  const trouble = transport.trouble();
  if (trouble !== null) log.warn('transport.lost', { reason: trouble.reason });
  return transport;
}

/** A gateway goes on with its spool; a worker has nothing to do. Neither is helped by taking it out of service. */
function checkTransport(sqlite: SqliteTransport, served: readonly string[]): PartHealth {
  // Asked first: where it cannot be answered, the trouble says so.
  const stranded = sqlite.stranded(served);
  const trouble = sqlite.trouble();
  if (trouble || stranded.length === 0) return healthOf(trouble, 'degraded');
  const each = stranded.map(({ topic, count }) => `${topic} (${count})`).join(', ');
  const remedy = 'if EVENTS_TOPIC or DLQ_TOPIC was renamed, run with the old name until they are gone';
  return { status: 'degraded', reason: `nobody consumes the messages of ${each}: ${remedy}` };
}

/** Wall 2. */
@Global()
@Module({ providers: [transport], exports: [Transport] })
export class TransportModule implements OnApplicationShutdown {
  constructor(private readonly transport: Transport) {}

  /** After consumers and gateway have stopped. */
  async onApplicationShutdown(): Promise<void> {
    await this.transport.close();
  }
}

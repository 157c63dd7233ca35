import { Global, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { join } from 'node:path';
import { CONFIG, type Config } from '../config/config.js';
import { HealthRegistry, healthOf, type PartHealth } from '../observability/health-registry.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { SqliteTransport } from './sqlite/sqlite-transport.js';
import { Transport } from './transport.js';

const GROUP_COMMIT_MAX = 1_000;
const DEFAULT_COME_BACK_MS = 1_000;

const transport: Provider = {
  provide: Transport,
  inject: [CONFIG, Clock, HealthRegistry, Log],
  useFactory: (config: Config, clock: Clock, health: HealthRegistry, log: Log) => {
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

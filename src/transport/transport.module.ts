import { Global, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { join } from 'node:path';
import type { BrokerConfig } from '../config/broker-config.js';
import { CONFIG, type Config } from '../config/config.js';
import { HealthRegistry, healthOf, type PartHealth } from '../observability/health-registry.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { KafkaTransport } from './kafka/kafka-transport.js';
import { loadKafkaClient } from './kafka/load-kafka-client.js';
import { SqliteTransport } from './sqlite/sqlite-transport.js';
import { Transport } from './transport.js';

const GROUP_COMMIT_MAX = 1_000;
const DEFAULT_COME_BACK_MS = 1_000;
// Work in hand when its partition moves to another worker; it is safe to cut it off, and then runs again there.
const REVOKE_LIMIT_MS = 5_000;
// An envelope is the plaintext as JSON, where quotes and line ends take two bytes.
const ENVELOPE_BYTES_PER_BODY_BYTE = 2;

const transport: Provider = {
  provide: Transport,
  inject: [CONFIG, Clock, HealthRegistry, Log],
  useFactory: (config: Config, clock: Clock, health: HealthRegistry, log: Log): Transport | Promise<Transport> => {
    switch (config.transport.engine) {
      case 'sqlite':
        return openSqlite(config, clock, health, log);
      case 'kafka':
        return openKafka(config, config.transport.broker, { clock, health, log });
    }
  },
};

function openSqlite(config: Config, clock: Clock, health: HealthRegistry, log: Log): Transport {
  const sqlite = new SqliteTransport(clock, {
    path: join(config.dataDir, 'queue.sqlite'),
    groupCommitMax: GROUP_COMMIT_MAX,
    defaultComeBackMs: DEFAULT_COME_BACK_MS,
  });
  sqlite.open();
  const served = [config.eventsTopic, config.dlqTopic];
  for (const { topic, count } of sqlite.stranded(served)) log.warn('transport.topic.stranded', { topic, count });
  health.register({ name: 'transport', check: () => checkSqlite(sqlite, served) });
  return sqlite;
}

/** A gateway goes on with its spool; a worker has nothing to do. Neither is helped by taking it out of service. */
function checkSqlite(sqlite: SqliteTransport, served: readonly string[]): PartHealth {
  // Asked first: where it cannot be answered, the trouble says so.
  const stranded = sqlite.stranded(served);
  const trouble = sqlite.trouble();
  if (trouble || stranded.length === 0) return healthOf(trouble, 'degraded');
  const each = stranded.map(({ topic, count }) => `${topic} (${count})`).join(', ');
  const remedy = 'if EVENTS_TOPIC or DLQ_TOPIC was renamed, run with the old name until they are gone';
  return { status: 'degraded', reason: `nobody consumes the messages of ${each}: ${remedy}` };
}

interface Surroundings {
  readonly clock: Clock;
  readonly health: HealthRegistry;
  readonly log: Log;
}

async function openKafka(
  config: Config,
  broker: BrokerConfig,
  { clock, health, log }: Surroundings,
): Promise<Transport> {
  const client = await loadKafkaClient();
  let said = '';
  const kafka = new KafkaTransport(
    client,
    clock,
    {
      broker,
      clientId: config.instance,
      topics: [config.eventsTopic, config.dlqTopic],
      publishTimeoutMs: config.publishTimeoutMs,
      messageBytesMax: ENVELOPE_BYTES_PER_BODY_BYTE * config.bodyBytesMax,
      defaultComeBackMs: DEFAULT_COME_BACK_MS,
      revokeLimitMs: REVOKE_LIMIT_MS,
    },
    (warnings) => {
      // Looked at every minute, and said once.
      const now = JSON.stringify(warnings);
      if (now !== said)
        for (const { topic, kind, reason } of warnings) log.warn(`transport.topic.${kind}`, { topic, reason });
      said = now;
    },
  );
  kafka.open();
  health.register({ name: 'transport', check: () => checkKafka(kafka) });
  return kafka;
}

function checkKafka(kafka: KafkaTransport): PartHealth {
  const trouble = kafka.trouble();
  const warnings = kafka.warnings();
  if (trouble || warnings.length === 0) return healthOf(trouble, 'degraded');
  return { status: 'degraded', reason: warnings.map(({ topic, reason }) => `${topic}: ${reason}`).join('; ') };
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

import { Global, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { HealthRegistry } from '../observability/health-registry.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { BacklogMetrics } from './backlog-metrics.js';
import { openKafkaTransport } from './kafka/open-kafka-transport.js';
import type { OpenedTransport, Opening } from './opened-transport.js';
import { openRocketMqTransport } from './rocketmq/open-rocketmq-transport.js';
import { openSqliteTransport } from './sqlite/open-sqlite-transport.js';
import { Transport } from './transport.js';

const transport: Provider = {
  provide: Transport,
  inject: [CONFIG, Clock, HealthRegistry, Log],
  useFactory: async (config: Config, clock: Clock, health: HealthRegistry, log: Log): Promise<Transport> => {
    const opened = await openTransport({ config, clock, log });
    health.register({ name: 'transport', check: opened.check });
    return opened.transport;
  },
};

/** The transport of the configured engine; for the command line too, which only looks whether it is there. */
export function openTransport(opening: Opening): OpenedTransport | Promise<OpenedTransport> {
  const { transport } = opening.config;
  switch (transport.engine) {
    case 'sqlite':
      return openSqliteTransport(opening);
    case 'kafka':
      return openKafkaTransport(transport, opening);
    case 'rocketmq':
      return openRocketMqTransport(transport, opening);
  }
}

/** Wall 2. */
@Global()
@Module({ providers: [transport, BacklogMetrics], exports: [Transport] })
export class TransportModule implements OnApplicationShutdown {
  constructor(private readonly transport: Transport) {}

  /** After consumers and gateway have stopped. */
  async onApplicationShutdown(): Promise<void> {
    await this.transport.close();
  }
}

import { Global, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { join } from 'node:path';
import { CONFIG, type Config } from '../config/config.js';
import { HealthRegistry, healthOf } from '../observability/health-registry.js';
import { Clock } from '../runtime/clock.js';
import { SqliteTransport } from './sqlite/sqlite-transport.js';
import { Transport } from './transport.js';

const GROUP_COMMIT_MAX = 1_000;
const DEFAULT_COME_BACK_MS = 1_000;

const transport: Provider = {
  provide: Transport,
  inject: [CONFIG, Clock, HealthRegistry],
  useFactory: (config: Config, clock: Clock, health: HealthRegistry) => {
    const sqlite = new SqliteTransport(clock, {
      path: join(config.dataDir, 'queue.sqlite'),
      groupCommitMax: GROUP_COMMIT_MAX,
      defaultComeBackMs: DEFAULT_COME_BACK_MS,
    });
    sqlite.open();
    // A gateway goes on with its spool; a worker has nothing to do. Neither is helped by taking it out of service.
    health.register({ name: 'transport', check: () => healthOf(sqlite.trouble(), 'degraded') });
    return sqlite;
  },
};

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

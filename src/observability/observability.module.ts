import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TerminusModule } from '@nestjs/terminus';
import type { Logger } from 'pino';
import { BacklogRegistry } from './backlog-registry.js';
import { HealthController } from './health.controller.js';
import { HealthRegistry } from './health-registry.js';
import { Log } from './log.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.js';

/** Health, metrics and the log. Other modules bring what is observed. */
@Global()
@Module({})
export class ObservabilityModule {
  static register(logger: Logger): DynamicModule {
    return {
      module: ObservabilityModule,
      imports: [TerminusModule.forRoot({ logger: false })],
      controllers: [HealthController, MetricsController],
      providers: [HealthRegistry, BacklogRegistry, Metrics, { provide: Log, useValue: new Log(logger) }],
      exports: [HealthRegistry, BacklogRegistry, Metrics, Log],
    };
  }
}

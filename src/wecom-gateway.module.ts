import { Module, type DynamicModule, type Type } from '@nestjs/common';
import { join } from 'node:path';
import type { MigrationInterface } from 'typeorm';
import { MIGRATIONS } from '../migrations/migrations.js';
import { AccessModule } from './access/access.module.js';
import { AuditRow } from './access/audit-row.entity.js';
import { AdminModule } from './admin/admin.module.js';
import { CallbackModule } from './callback/callback.module.js';
import { ClusterModule } from './cluster/cluster.module.js';
import { CONFIG, type Config } from './config/config.js';
import { partsOf } from './config/roles.js';
import { DatabaseModule } from './database/database.module.js';
import { EntityTypesModule } from './entity-types/entity-types.module.js';
import type { EntityType } from './entity-types/entity-type.js';
import { EventHistoryRow } from './event-log/event-history-row.entity.js';
import { EventLogRow } from './event-log/event-log-row.entity.js';
import { EventLogModule } from './event-log/event-log.module.js';
import { BUILT_IN_ROWS, HandlersModule } from './handlers/handlers.module.js';
import type { WecomHandler } from './handlers/wecom-handler.js';
import { IdempotencyModule } from './idempotency/idempotency.module.js';
import { createLogger } from './observability/logger.js';
import { ObservabilityModule } from './observability/observability.module.js';
import { RuntimeModule } from './runtime/runtime.module.js';
import { EntityChangeRow } from './saga/entity-change-row.entity.js';
import { OutboxRow } from './saga/outbox-row.entity.js';
import { SagaRow } from './saga/saga-row.entity.js';
import { SagaModule } from './saga/saga.module.js';
import { TransportModule } from './transport/transport.module.js';
import { WecomApiModule } from './wecom-api/wecom-api.module.js';
import { WorkerModule } from './worker/worker.module.js';

export interface GatewayOptions {
  readonly config: Config;
  /** How the events of your own business objects are ordered. */
  readonly entityTypes?: readonly EntityType[];
  /** Classes marked `@WecomEventHandler`; they replace built-in ones for the same event. */
  readonly handlers?: readonly Type<WecomHandler>[];
  /** TypeORM entities that your handlers write. */
  readonly entities?: readonly Type<object>[];
  /** Migrations of your tables; pending ones run at start on SQLite. */
  readonly migrations?: readonly Type<MigrationInterface>[];
  /** True (default): all; or the names of those wanted. */
  readonly builtInHandlers?: boolean | readonly string[];
}

const ROWS = [EventLogRow, EventHistoryRow, SagaRow, EntityChangeRow, OutboxRow, AuditRow, ...BUILT_IN_ROWS];
/** The service as one Nest module: the parts that the configured role has, and no others. */
@Module({})
export class WecomGatewayModule {
  static forRoot(options: GatewayOptions): DynamicModule {
    const { config, entityTypes = [], handlers = [], entities = [], migrations = [], builtInHandlers = true } = options;
    const settings = {
      module: ConfigModule,
      global: true,
      providers: [{ provide: CONFIG, useValue: config }],
      exports: [CONFIG],
    };
    const database = {
      store: config.store,
      path: join(config.dataDir, 'wecom.sqlite'),
      leaseMaxLifeMs: config.leaseMaxLifeMs,
      bodyBytesMax: config.bodyBytesMax,
      entities: [...ROWS, ...entities],
      migrations: [...MIGRATIONS, ...migrations],
    };
    const parts = partsOf(config.role);
    return {
      module: WecomGatewayModule,
      imports: [
        ...[settings, RuntimeModule, ObservabilityModule.register(createLogger(config.logLevel, config.instance))],
        EntityTypesModule.register(entityTypes),
        ...(parts.transport ? [TransportModule, IdempotencyModule] : []),
        ...(parts.database ? [DatabaseModule.register(database), EventLogModule, SagaModule] : []),
        ...(parts.worker || parts.admin
          ? [WecomApiModule, HandlersModule.register({ builtInHandlers, handlers, demo: config.isDemo })]
          : []),
        ...(parts.callbacks ? [CallbackModule] : []),
        ...(parts.worker ? [ClusterModule, WorkerModule] : []),
        ...(parts.admin ? [AccessModule, AdminModule] : []),
      ],
    };
  }
}

@Module({})
class ConfigModule {}

import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { HealthRegistry, type PartHealth } from '../../observability/health-registry.js';
import { Log } from '../../observability/log.js';
import { Clock } from '../../runtime/clock.js';
import { READER, WRITER } from '../connection-tokens.js';
import type { Schema } from '../schema.js';
import { UnitOfWork } from '../unit-of-work.js';
import type { MysqlSettings } from './mysql-options.js';
import { mysqlOptions } from './mysql-options.js';
import { MysqlServerCheck, openChecked } from './mysql-server-check.js';
import { MysqlUnitOfWork } from './mysql-unit-of-work.js';

/** The connections. The writer stays inside: whoever had it would write outside of the transactions of events. */
@Module({})
export class MysqlConnectionsModule {
  static register(settings: MysqlSettings, schema: Schema, bodyBytesMax: number): DynamicModule {
    const writer: Provider = {
      provide: WRITER,
      inject: [Clock],
      useFactory: (clock: Clock) =>
        openChecked(() => new DataSource(mysqlOptions(settings, schema, clock, 'read write')), clock, settings),
    };
    const reader: Provider = {
      provide: READER,
      // After the writer, which has waited for the server and looked at the schema.
      inject: [WRITER, Clock],
      useFactory: (_: DataSource, clock: Clock) =>
        new DataSource(mysqlOptions(settings, schema, clock, 'read only')).initialize(),
    };
    const unitOfWork: Provider = {
      provide: UnitOfWork,
      inject: [WRITER, READER, Clock],
      useFactory: (one: DataSource, other: DataSource, clock: Clock) =>
        new MysqlUnitOfWork(one, other, clock, settings.timeoutMs),
    };
    const check: Provider = {
      provide: MysqlServerCheck,
      inject: [UnitOfWork, Clock, Log, HealthRegistry],
      useFactory: (unit: UnitOfWork, clock: Clock, log: Log, health: HealthRegistry) => {
        const made = new MysqlServerCheck(unit, clock, log, { engine: settings.engine, bodyBytesMax });
        health.register({ name: 'database', check: () => databaseHealth(unit, made) });
        return made;
      },
    };
    return {
      module: MysqlConnectionsModule,
      providers: [writer, reader, unitOfWork, check],
      exports: [READER, UnitOfWork],
    };
  }
}

function databaseHealth(unit: UnitOfWork, check: MysqlServerCheck): PartHealth {
  const trouble = unit.trouble();
  if (trouble) return { status: 'down', ...trouble };
  const warned = check.trouble();
  return warned ? { status: 'degraded', ...warned } : { status: 'up' };
}

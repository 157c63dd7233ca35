import { Module, type DynamicModule, type Provider } from '@nestjs/common';
import { DataSource } from 'typeorm';
import { HealthRegistry, healthOf } from '../../observability/health-registry.js';
import { Clock } from '../../runtime/clock.js';
import { READER, WRITER } from '../connection-tokens.js';
import { UnitOfWork } from '../unit-of-work.js';
import { readOnlyOptions, sqliteOptions, type SqliteSettings } from './sqlite-options.js';
import { SqliteUnitOfWork } from './sqlite-unit-of-work.js';

const unitOfWork: Provider = {
  provide: UnitOfWork,
  inject: [WRITER, READER, Clock, HealthRegistry],
  useFactory: (writer: DataSource, reader: DataSource, clock: Clock, health: HealthRegistry) => {
    const unit = new SqliteUnitOfWork(writer, reader, clock);
    health.register({ name: 'database', check: () => healthOf(unit.trouble(), 'down') });
    return unit;
  },
};

/** The connections. Their tokens stay inside: a second user of the writer would undo commits that it knows nothing of. */
@Module({})
export class SqliteConnectionsModule {
  static register(options: SqliteSettings): DynamicModule {
    const writer = { provide: WRITER, useFactory: () => new DataSource(sqliteOptions(options)).initialize() };
    const reader = {
      provide: READER,
      // After the writer, which has made the file and run the migrations.
      inject: [WRITER],
      useFactory: () => new DataSource(readOnlyOptions(options)).initialize(),
    };
    return { module: SqliteConnectionsModule, providers: [writer, reader, unitOfWork], exports: [READER, UnitOfWork] };
  }
}

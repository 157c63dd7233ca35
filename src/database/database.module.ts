import { Global, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { HealthRegistry, healthOf } from '../observability/health-registry.js';
import { Clock } from '../runtime/clock.js';
import { readOnlyOptions, sqliteOptions, type DatabaseOptions } from './sqlite/sqlite-options.js';
import { READER, SqliteUnitOfWork, WRITER } from './sqlite/sqlite-unit-of-work.js';
import { UnitOfWork } from './unit-of-work.js';

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
class ConnectionsModule {
  static register(options: DatabaseOptions): DynamicModule {
    const writer = { provide: WRITER, useFactory: () => new DataSource(sqliteOptions(options)).initialize() };
    const reader = {
      provide: READER,
      // After the writer, which has made the file and run the migrations.
      inject: [WRITER],
      useFactory: () => new DataSource(readOnlyOptions(options)).initialize(),
    };
    return { module: ConnectionsModule, providers: [writer, reader, unitOfWork], exports: [READER, UnitOfWork] };
  }
}

/**
 * Wall 3: the business database, its migrations, its transactions. The data source that Nest injects into a user's own
 * providers can only read: every write goes through the transaction's manager that a handler gets.
 */
@Global()
@Module({})
export class DatabaseModule {
  static register(options: DatabaseOptions): DynamicModule {
    const connections = ConnectionsModule.register(options);
    const readOnly = TypeOrmModule.forRootAsync({
      imports: [connections],
      inject: [READER],
      useFactory: () => readOnlyOptions(options),
    });
    return { module: DatabaseModule, imports: [connections, readOnly], exports: [connections] };
  }
}

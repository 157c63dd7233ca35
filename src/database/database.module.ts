import { Global, Module, type DynamicModule, type Provider } from '@nestjs/common';
import { getDataSourceToken, TypeOrmModule } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { HealthRegistry, healthOf } from '../observability/health-registry.js';
import { Clock } from '../runtime/clock.js';
import { READER, SqliteUnitOfWork, WRITER } from './sqlite/sqlite-unit-of-work.js';
import { sqliteOptions, type DatabaseOptions } from './sqlite/sqlite-options.js';
import { UnitOfWork } from './unit-of-work.js';

const reader: Provider = {
  provide: READER,
  inject: [WRITER],
  // After the writer, which has made the file and run the migrations.
  useFactory: (writer: DataSource) =>
    new DataSource({ ...(writer.options as ReturnType<typeof sqliteOptions>), ...READ_ONLY }).initialize(),
};
const READ_ONLY = { readonly: true, migrationsRun: false, prepareDatabase: undefined };

const unitOfWork: Provider = {
  provide: UnitOfWork,
  inject: [WRITER, READER, Clock, HealthRegistry],
  useFactory: (writer: DataSource, read: DataSource, clock: Clock, health: HealthRegistry) => {
    const unit = new SqliteUnitOfWork(writer, read, clock);
    health.register({ name: 'database', check: () => healthOf(unit.trouble(), 'down') });
    return unit;
  },
};

/** Wall 3: the business database, its migrations, its transactions. */
@Global()
@Module({})
export class DatabaseModule {
  static register(options: DatabaseOptions): DynamicModule {
    return {
      module: DatabaseModule,
      imports: [TypeOrmModule.forRoot(sqliteOptions(options))],
      providers: [{ provide: WRITER, useExisting: getDataSourceToken() }, reader, unitOfWork],
      exports: [UnitOfWork],
    };
  }
}

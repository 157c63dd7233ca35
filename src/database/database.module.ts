import { Global, Module, type DynamicModule } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import type { StoreConfig } from '../config/config.js';
import { Clock } from '../runtime/clock.js';
import { READER } from './connection-tokens.js';
import { MysqlConnectionsModule } from './mysql/mysql-connections.module.js';
import { mysqlOptions } from './mysql/mysql-options.js';
import type { Schema } from './schema.js';
import { SqliteConnectionsModule } from './sqlite/sqlite-connections.module.js';
import { readOnlyOptions } from './sqlite/sqlite-options.js';

export interface DatabaseOptions extends Schema {
  readonly store: StoreConfig;
  /** Of the embedded database. */
  readonly path: string;
  readonly leaseMaxLifeMs: number;
  /** The largest event that a statement has to hold. */
  readonly bodyBytesMax: number;
}

/**
 * Wall 3: the business database, its migrations, its transactions. The data source that Nest injects into a user's own
 * providers can only read: every write goes through the transaction's manager that a handler gets.
 */
@Global()
@Module({})
export class DatabaseModule {
  static register(options: DatabaseOptions): DynamicModule {
    const { connections, readOnly } =
      options.store.engine === 'sqlite' ? onSqlite(options) : onMysql(options, options.store);
    return { module: DatabaseModule, imports: [connections, readOnly], exports: [connections] };
  }
}

interface Parts {
  readonly connections: DynamicModule;
  readonly readOnly: DynamicModule;
}

function onSqlite(options: DatabaseOptions): Parts {
  const connections = SqliteConnectionsModule.register(options);
  const readOnly = TypeOrmModule.forRootAsync({
    imports: [connections],
    // After the first connection, which has made the file and run the migrations.
    inject: [READER],
    useFactory: () => readOnlyOptions(options),
  });
  return { connections, readOnly };
}

function onMysql(options: DatabaseOptions, store: Exclude<StoreConfig, { engine: 'sqlite' }>): Parts {
  const settings = { ...store, leaseMaxLifeMs: options.leaseMaxLifeMs };
  const connections = MysqlConnectionsModule.register(settings, options, options.bodyBytesMax);
  const readOnly = TypeOrmModule.forRootAsync({
    imports: [connections],
    inject: [Clock, READER],
    useFactory: (clock: Clock) => mysqlOptions(settings, options, clock, 'read only'),
  });
  return { connections, readOnly };
}

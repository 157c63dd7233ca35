import { Global, Module } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { SqlOutbox } from './sql-outbox.js';
import { MysqlSagaStore } from './mysql/mysql-saga-store.js';
import { Outbox } from './outbox.js';
import { SagaStore } from './saga-store.js';
import { SqliteSagaStore } from './sqlite/sqlite-saga-store.js';

@Global()
@Module({
  providers: [
    {
      provide: SagaStore,
      inject: [CONFIG, UnitOfWork],
      useFactory: ({ store }: Config, unitOfWork: UnitOfWork): SagaStore =>
        store.engine === 'sqlite' ? new SqliteSagaStore() : new MysqlSagaStore(unitOfWork),
    },
    {
      provide: Outbox,
      inject: [CONFIG],
      useFactory: ({ store }: Config): Outbox =>
        store.engine === 'sqlite' ? SqlOutbox.forSqlite() : SqlOutbox.forMysql(),
    },
  ],
  exports: [SagaStore, Outbox],
})
export class SagaModule {}

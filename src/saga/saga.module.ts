import { Global, Module } from '@nestjs/common';
import { Outbox } from './outbox.js';
import { SagaStore } from './saga-store.js';
import { SqliteOutbox } from './sqlite/sqlite-outbox.js';
import { SqliteSagaStore } from './sqlite/sqlite-saga-store.js';

@Global()
@Module({
  providers: [
    { provide: SagaStore, useClass: SqliteSagaStore },
    { provide: Outbox, useClass: SqliteOutbox },
  ],
  exports: [SagaStore, Outbox],
})
export class SagaModule {}

import { Global, Module } from '@nestjs/common';
import { Outbox } from './outbox.js';
import { SagaStore } from './saga-store.js';
import { TypeormOutbox } from './typeorm-outbox.js';
import { TypeormSagaStore } from './typeorm-saga-store.js';

@Global()
@Module({
  providers: [
    { provide: SagaStore, useClass: TypeormSagaStore },
    { provide: Outbox, useClass: TypeormOutbox },
  ],
  exports: [SagaStore, Outbox],
})
export class SagaModule {}

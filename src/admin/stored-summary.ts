import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { Outbox } from '../saga/outbox.js';
import { SagaStore } from '../saga/saga-store.js';
import { StatusCounts, type Counted } from './status-counts.js';

export interface StoredCounts extends Counted {
  readonly outbox: { readonly pending: number; readonly dead: number };
  readonly lastChangeId: number;
}

/** What the database holds, counted. */
@Injectable()
export class StoredSummary {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly counts: StatusCounts,
    private readonly sagas: SagaStore,
    private readonly outbox: Outbox,
  ) {}

  async read(): Promise<StoredCounts> {
    const counted = await this.counts.read();
    return this.unitOfWork.read(async (tx) => ({
      ...counted,
      outbox: await this.outbox.counts(tx),
      lastChangeId: await this.sagas.lastChangeId(tx),
    }));
  }
}

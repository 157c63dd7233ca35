import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EventLog, type EventStatus } from '../event-log/event-log.js';
import { Outbox } from '../saga/outbox.js';
import { SagaStore } from '../saga/saga-store.js';

export interface StoredCounts {
  readonly statuses: Partial<Record<EventStatus, number>>;
  readonly outbox: { readonly pending: number; readonly dead: number };
  readonly lastChangeId: number;
}

/** What the database holds, counted. */
@Injectable()
export class StoredSummary {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly sagas: SagaStore,
    private readonly outbox: Outbox,
  ) {}

  read(): Promise<StoredCounts> {
    return this.unitOfWork.read(async (tx) => ({
      statuses: Object.fromEntries(await this.eventLog.counts(tx)),
      outbox: await this.outbox.counts(tx),
      lastChangeId: await this.sagas.lastChangeId(tx),
    }));
  }
}

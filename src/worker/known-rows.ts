import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EventLog, type EventRow } from '../event-log/event-log.js';
import { EventLeases } from '../idempotency/event-leases.js';
import { LeaseLostError } from '../idempotency/lease-lost-error.js';
import type { LeasedItem } from './work-item.js';

/** What guard and database know of a group of events. */
@Injectable()
export class KnownRows {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly leases: EventLeases,
  ) {}

  /**
   * Rows by event key. A row that waits may get its outcome right after this look: the delivery is settled either way,
   * because the row owns its event.
   */
  async find(group: readonly LeasedItem[]): Promise<ReadonlyMap<string, EventRow>> {
    const rows = await this.unitOfWork.write((tx) =>
      this.eventLog.find(
        tx,
        group.map(({ identity }) => identity),
      ),
    );
    return new Map(rows.map((row) => [row.eventKey, row]));
  }

  /** Tells the guard that the handlers are about to run. Rejects with `LeaseLostError` when a lease is gone by now. */
  async markStarts(group: readonly LeasedItem[]): Promise<void> {
    const results = await Promise.all(group.map((item) => this.leases.start(item.lease)));
    const lost = group[results.indexOf('lost')];
    if (lost) throw new LeaseLostError(lost.lease.key);
  }

  async release(group: readonly LeasedItem[]): Promise<void> {
    await Promise.all(group.map((item) => this.leases.release(item.lease)));
  }
}

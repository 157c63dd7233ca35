import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EventLog, type EventRow, type EventStatus } from '../event-log/event-log.js';
import { isOutcome } from '../event-log/status.js';
import { EventLeases } from '../idempotency/event-leases.js';
import { Log } from '../observability/log.js';
import type { Delivery } from '../transport/transport.js';
import type { LeasedItem, WorkItem } from './work-item.js';
import { WorkerMetrics } from './worker-metrics.js';

/** What follows a commit: the guard first, then the message. A crash between any two of these only redelivers. */
@Injectable()
export class EventFinisher {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly leases: EventLeases,
    private readonly metrics: WorkerMetrics,
    private readonly log: Log,
  ) {}

  /** The row of the item now holds `status`, committed. */
  async finish(item: LeasedItem, status: EventStatus, now: number): Promise<void> {
    this.metrics.decided(item.identity.eventType, status, now - item.identity.receivedAt);
    await this.endLease(item, status);
    await this.settle(item);
  }

  /** The event was known before this delivery: go by its row. */
  async finishKnown(items: readonly LeasedItem[], rows: ReadonlyMap<string, EventRow>, now: number): Promise<void> {
    await this.unitOfWork.write((tx) =>
      this.eventLog.record(
        tx,
        items.map((item) => {
          const row = rows.get(item.identity.eventKey);
          const reason = `a delivery of an event that is ${row?.status ?? 'known'} already`;
          const { generation, attempt } = row ?? { generation: 0, attempt: 0 };
          return {
            eventKey: item.identity.eventKey,
            at: now,
            actor: 'worker',
            decision: 'DUPLICATE',
            reason,
            generation,
            attempt,
          };
        }),
      ),
    );
    for (const item of items) {
      const row = rows.get(item.identity.eventKey);
      if (!row) continue;
      this.metrics.duplicate(item.identity.eventType);
      await this.endLease(item, row.status);
      await this.settle(item);
    }
  }

  /** The guard says SUCCESS: `event_log` holds an outcome. */
  async finishSuccess(item: WorkItem): Promise<void> {
    this.metrics.duplicate(item.identity.eventType);
    await this.settle(item);
  }

  /** SUCCESS only where the row holds an outcome: anything else would swallow what still has to run. */
  private async endLease(item: LeasedItem, status: EventStatus): Promise<void> {
    if (isOutcome(status)) await this.leases.complete(item.lease);
    else await this.leases.release(item.lease);
  }

  private async settle(item: WorkItem): Promise<void> {
    if (item.origin.kind !== 'message') return;
    const { delivery } = item.origin;
    try {
      await delivery.settle();
    } catch (error) {
      this.unsettled(delivery, error);
    }
  }

  private unsettled(delivery: Delivery, error: unknown): void {
    // It comes again, finds its row and is settled then.
    this.log.warn('message.not_settled', { position: delivery.position, error: String(error) });
  }
}

import { Injectable } from '@nestjs/common';
import { versionOf, type EventRow } from '../event-log/event-log.js';
import { EventLeases, guardKey, type HeldLease } from '../idempotency/event-leases.js';
import { EventProcessor } from './event-processor.js';
import { PausedRows } from './paused-rows.js';
import { Rereads } from './rereads.js';
import { RowSteps } from './row-steps.js';
import { WorkItemFactory } from './work-item-factory.js';
import type { LeasedItem } from './work-item.js';

/** Runs one waiting row, as counted by a compare-and-set before its handler starts (protocol.md, "Failure"). */
@Injectable()
export class RowRunner {
  constructor(
    private readonly rows: RowSteps,
    private readonly paused: PausedRows,
    private readonly rereads: Rereads,
    private readonly leases: EventLeases,
    private readonly processor: EventProcessor,
    private readonly factory: WorkItemFactory,
  ) {}

  /**
   * `picked` is hidden from other pickers. Resolves when it has an outcome or waits again. Rejects when the database is
   * away: the row shows itself again when its hiding ends. `stop` rolls a run back that cannot be waited for.
   */
  async run(picked: EventRow, stop?: AbortSignal): Promise<void> {
    const result = await this.leases.acquireForRow(guardKey(picked.corpId, picked.eventKey));
    if (result.kind === 'held') {
      // Another worker has the event in hand: its turn costs this row no attempt.
      await this.rows.postponeFor(versionOf(picked), result.remainingMs);
      return;
    }
    const { lease } = result;
    const watch = this.rows.keepHidden(versionOf(picked));
    try {
      await this.runLeased(picked, lease, stop);
    } finally {
      watch.cancel();
      await this.leases.release(lease);
    }
  }

  private async runLeased(picked: EventRow, lease: HeldLease, stop?: AbortSignal): Promise<void> {
    if (this.rows.isExhausted(picked)) {
      await this.rows.exhausted(this.factory.fromRow(picked));
      return;
    }
    if (await this.paused.waits(this.factory.fromRow(picked), picked)) return;
    const asked = await this.rereads.settle({ ...this.factory.fromRow(picked), lease, stop });
    if (asked.kind === 'later') {
      await this.rows.postpone(versionOf(picked), asked.dueAt);
      return;
    }
    const row = await this.rows.count(picked, lease.token);
    if (!row) return;
    const item: LeasedItem = { ...asked.item, ...this.factory.fromRow(row) };
    const result = await this.processor.process([item]);
    if (result.kind === 'again') await this.rows.backOff(versionOf(row));
  }
}

import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EventLog, type EventRow } from '../event-log/event-log.js';
import { HandlerPausedError } from '../handlers/handler-paused-error.js';
import { HandlerPauses } from '../handlers/handler-pauses.js';
import { Clock } from '../runtime/clock.js';
import { FailureWriter } from './failure-writer.js';
import { pausedLookAfterMs } from './retry-policy.js';
import type { WorkItem } from './work-item.js';

/** Rows whose handler an operator has paused. */
@Injectable()
export class PausedRows {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly pauses: HandlerPauses,
    private readonly failures: FailureWriter,
    private readonly clock: Clock,
  ) {}

  /** Before the run of `row` is counted: true when it waits on. Its time line tells that once, however often it looks. */
  async waits(item: WorkItem, row: EventRow): Promise<boolean> {
    const { handler } = item;
    if (!handler) return false;
    const paused = await this.unitOfWork.read((tx) => this.pauses.names(tx));
    if (!paused.has(handler.name)) return false;
    const [now, error] = [this.clock.now(), new HandlerPausedError(handler.name)];
    if (row.status !== 'RETRY' || row.errorCode !== error.code || row.errorMessage !== error.message) {
      await this.failures.write(item, error, now);
      return true;
    }
    const dueAt = now + pausedLookAfterMs(now - row.decidedAt);
    await this.unitOfWork.write((tx) => this.eventLog.sleepOn(tx, row, dueAt));
    return true;
  }
}

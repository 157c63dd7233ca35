import { Inject, Injectable } from '@nestjs/common';
import { TransactionConflictError } from '../database/database-errors.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EventLog, versionOf, type EventRow, type RowVersion } from '../event-log/event-log.js';
import { Clock, type Timer } from '../runtime/clock.js';
import { Random } from '../runtime/random.js';
import { UnrecoverableError } from '../saga/unrecoverable-error.js';
import { FailureWriter } from './failure-writer.js';
import { attemptsMax } from './retry-policy.js';
import type { WorkItem } from './work-item.js';
import { WORKER_OPTIONS, type WorkerOptions } from './worker-options.js';

/** The short transactions around a run from a row: count it, hide it, put it off, give it up. */
@Injectable()
export class RowSteps {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly failures: FailureWriter,
    private readonly clock: Clock,
    private readonly random: Random,
    @Inject(WORKER_OPTIONS) private readonly options: WorkerOptions,
  ) {}

  /** The row as counted, or null when somebody else moved it meanwhile. */
  async count(row: EventRow, token: string | null): Promise<EventRow | null> {
    const runToken = token ?? this.random.token();
    const version = versionOf(row);
    for (let conflicts = 1; ; conflicts += 1) {
      try {
        const counted = await this.unitOfWork.write((tx) => this.eventLog.count(tx, version, runToken));
        return counted ? { ...row, attempt: row.attempt + 1, runToken } : null;
      } catch (error) {
        // A commit whose reply was lost has counted this run: the repeat finds its token, and no attempt is wasted.
        if (!(error instanceof TransactionConflictError) || conflicts > this.options.conflictRetriesMax) throw error;
        await this.clock.sleep(this.options.conflictDelayMs * conflicts * this.random.fraction());
      }
    }
  }

  async postpone(version: RowVersion, dueAt: number): Promise<void> {
    await this.unitOfWork.write((tx) => this.eventLog.postpone(tx, version, dueAt));
  }

  async postponeFor(version: RowVersion, ms: number): Promise<void> {
    await this.postpone(version, this.clock.now() + ms);
  }

  /** Infrastructure is away: the attempt counted stays counted, and the row comes back soon. */
  async backOff(version: RowVersion): Promise<void> {
    await this.postponeFor(version, this.options.backoffMs);
  }

  /** Its attempts were used up by runs that never ended. */
  isExhausted({ attempt }: EventRow): boolean {
    return attempt >= attemptsMax(this.options.retryPolicy);
  }

  /** Until it is cancelled, `hideOn` at intervals. */
  keepHidden(version: RowVersion): Timer {
    return this.clock.every(this.options.hideEveryMs, () => void this.hideOn(version));
  }

  /** Keeps a row out of other pickers' sight while it runs. A failure is not worth more than a second picker's look. */
  private async hideOn(version: RowVersion): Promise<void> {
    try {
      const counted = { ...version, attempt: version.attempt + 1 };
      await this.postpone(counted, this.clock.now() + this.options.hideMs);
    } catch {
      // The next picker finds the lease held, or misses the compare-and-set.
    }
  }

  /** Attempts were used up before a run: its worker died each time. */
  async exhausted(item: WorkItem): Promise<void> {
    const reason = 'attempts used up by runs that never ended';
    await this.failures.write(item, new UnrecoverableError(reason, { code: 'RUN_UNFINISHED' }), this.clock.now());
  }
}

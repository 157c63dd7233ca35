import { Inject, Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EventLog, type EventRow } from '../event-log/event-log.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { PollLoop } from '../runtime/poll-loop.js';
import { RowRunner } from './row-runner.js';
import { WorkerStoppingError } from './run-errors.js';
import { WORKER_OPTIONS, type WorkerOptions } from './worker-options.js';

// A parked line drains in one go, up to here; then its lane is given to others.
const LINE_RUNS_MAX = 1_000;
const ROLLBACK_LIMIT_MS = 1_000;

/**
 * Runs waiting rows that are due and first of their entity. It polls: nobody wakes it, so no wake-up can be lost. The
 * database says what runs, whatever the guard says.
 */
@Injectable()
export class RetryConsumer {
  private readonly loop: PollLoop;
  private readonly stopNow = new AbortController();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly runner: RowRunner,
    private readonly clock: Clock,
    private readonly log: Log,
    @Inject(WORKER_OPTIONS) private readonly options: WorkerOptions,
  ) {
    this.loop = new PollLoop(
      clock,
      options.retryPollMs,
      () => this.pass(),
      (error) => this.away(error),
    );
  }

  start(): void {
    this.loop.start();
  }

  /** Takes no new row and resolves when those in hand have ended; what has not after `limitMs` is rolled back. */
  async stop(limitMs: number): Promise<void> {
    await this.loop.stop(limitMs);
    this.stopNow.abort(new WorkerStoppingError());
    await this.loop.stop(ROLLBACK_LIMIT_MS);
  }

  /** True when there may be more to do at once. */
  async pass(): Promise<boolean> {
    const limit = this.options.retryBatchMax;
    const now = this.clock.now();
    const isDue = await this.unitOfWork.read((tx) => this.eventLog.hasDue(tx, now));
    // In trouble a write is tried all the same: readiness that waits for traffic, which waits for readiness, never comes.
    if (!isDue && this.unitOfWork.trouble() === null) return false;
    const picked = await this.unitOfWork.write((tx) => this.eventLog.pick(tx, now, now + this.options.hideMs, limit));
    const queue = [...picked];
    const lanes = Array.from({ length: Math.min(this.options.retryLanes, queue.length) }, async () => {
      for (let row = queue.shift(); row; row = queue.shift()) await this.runLine(row);
    });
    const results = await Promise.allSettled(lanes);
    const failed = results.find((result) => result.status === 'rejected');
    if (failed) throw failed.reason;
    return picked.length === limit;
  }

  /** The row, and at once the next ones of its entity, so that a long line drains faster than it grows. */
  private async runLine(first: EventRow): Promise<void> {
    let row: EventRow | null = first;
    for (let runs = 0; row && runs < LINE_RUNS_MAX && !this.loop.stopping; runs += 1) {
      await this.runner.run(row, this.stopNow.signal);
      // On the embedded engines a run waits for nothing outside of the process: without this a backlog would hold up
      // callbacks, and who cancels the job that made it, for whole batches.
      await this.clock.nextTurn();
      const { entityKey, laneSeq }: EventRow = row;
      if (entityKey === null || laneSeq === null) return;
      const now = this.clock.now();
      row = await this.unitOfWork.write((tx) => this.eventLog.pickNext(tx, entityKey, now, now + this.options.hideMs));
    }
  }

  private away(error: unknown): void {
    this.log.warn('retry.paused', { error: String(error) });
  }
}

import { Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import { Clock } from '../runtime/clock.js';
import { DeadLetterService } from './dead-letter-service.js';
import { EventSearch } from './event-search.js';
import { Forecaster, type Imagined } from './forecaster.js';
import { decodePosition, encodePosition } from './position.js';
import { JOB_ITEMS_MAX, type RedriveJob } from './redrive-job.js';
import { RedriveJobStore, type JobChange, type Lease } from './redrive-job-store.js';

const COLLECT_ITEMS = 500;
const FORECAST_ITEMS = 100;
/** Items of one transaction: few, so that callbacks and workers wait for no long one. */
export const RUN_ITEMS = 20;

/** The job is not as it was read, or not this process's any more; nothing was written. */
export class JobMovedError extends Error {
  readonly code = 'REDRIVE_JOB_MOVED';

  constructor(readonly jobId: number) {
    super(`job ${jobId} was moved by somebody else`);
    this.name = 'JobMovedError';
  }
}

/**
 * One step of a job in one transaction: what it does to its items and how far the job is commit together, so that a
 * process that dies loses nothing and repeats nothing. Each returns the job as it is then, and throws `JobMovedError`.
 */
@Injectable()
export class RedriveJobSteps {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: RedriveJobStore,
    private readonly search: EventSearch,
    private readonly forecaster: Forecaster,
    private readonly deadLetters: DeadLetterService,
    private readonly clock: Clock,
  ) {}

  /** Writes down the next items of the filter. What died after the job was made belongs to another one. */
  async collect(job: RedriveJob, lease: Lease): Promise<RedriveJob> {
    const after = job.collectCursor === null ? null : decodePosition(job.collectCursor);
    const filter = { ...job.filter, decidedTo: job.createdAt };
    const limit = Math.min(COLLECT_ITEMS, JOB_ITEMS_MAX - job.total);
    const { items, next } = await this.search.places(filter, after, limit);
    const total = job.total + items.length;
    const isOver = next === null || total >= JOB_ITEMS_MAX;
    return this.step(
      job,
      lease,
      {
        ...{ total, collectCursor: next && encodePosition(next) },
        ...(isOver ? this.collected(job, total) : {}),
      },
      (tx) => this.store.addItems(tx, job, items),
    );
  }

  async forecast(job: RedriveJob, lease: Lease, imagined: Imagined): Promise<RedriveJob> {
    const items = await this.unitOfWork.read((tx) => this.store.items(tx, job, job.forecastDone, FORECAST_ITEMS));
    const seen = items.map(({ eventId, generation }) => ({ id: eventId, generation }));
    const told = await this.forecaster.forecast(job.action, seen, imagined);
    const forecastDone = job.forecastDone + items.length;
    const isOver = forecastDone >= job.total;
    const change = { forecastDone, ...(isOver ? { status: 'DRAFT' as const } : {}) };
    return this.step(job, lease, change, (tx) => this.store.writeForecasts(tx, job, items, told));
  }

  /** Redrives or discards the next items, no more than `count`. */
  async run(job: RedriveJob, lease: Lease, count: number): Promise<RedriveJob> {
    const items = await this.unitOfWork.read((tx) => this.store.items(tx, job, job.done, Math.min(count, RUN_ITEMS)));
    const seen = items.map(({ eventId, generation }) => ({ id: eventId, generation }));
    const done = job.done + items.length;
    const change: JobChange = { done, ...(done >= job.total ? this.finished() : {}) };
    const { actor, reason, id: jobId } = job;
    await this.deadLetters.runTogether(
      job.action,
      seen,
      { actor, reason, jobId },
      {
        begin: (tx) => this.hold(tx, job, lease, change),
        end: async (tx, results) => {
          for (const [index, item] of items.entries()) {
            const result = results[index];
            const isNew = result && (await this.store.writeResult(tx, job, item, result, this.clock.now()));
            if (!isNew) throw new JobMovedError(job.id);
          }
        },
      },
    );
    return { ...job, ...change };
  }

  private collected(job: RedriveJob, total: number): JobChange {
    if (job.isDryRun) return { status: total === 0 ? 'DRAFT' : 'FORECASTING' };
    return total === 0 ? this.finished() : { status: 'RUNNING', startedAt: this.clock.now() };
  }

  private finished(): JobChange {
    return { status: 'DONE', finishedAt: this.clock.now() };
  }

  private async step(
    job: RedriveJob,
    lease: Lease,
    change: JobChange,
    work: (tx: Tx) => Promise<void>,
  ): Promise<RedriveJob> {
    await this.unitOfWork.write(async (tx) => {
      await this.hold(tx, job, lease, change);
      await work(tx);
    });
    return { ...job, ...change };
  }

  private async hold(tx: Tx, job: RedriveJob, lease: Lease, change: JobChange): Promise<void> {
    if (!(await this.store.advance(tx, job, lease, change))) throw new JobMovedError(job.id);
  }
}

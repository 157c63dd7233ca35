import { Inject, Injectable, type BeforeApplicationShutdown, type OnApplicationBootstrap } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { PollLoop } from '../runtime/poll-loop.js';
import { nothingImagined, type Imagined } from './forecaster.js';
import { Pacer } from './pacer.js';
import { isActive, type RedriveJob } from './redrive-job.js';
import { RedriveJobStore, type Lease } from './redrive-job-store.js';
import { JobMovedError, RedriveJobSteps, RUN_ITEMS } from './redrive-job-steps.js';

/** Jobs that one process works on at once; others wait for their turn. */
const JOBS_MAX = 8;
const POLL_MS = 50;
// A job that nobody holds is looked for this often.
const ADOPT_MS = 500;
/** After this long without a word another process may take a job over; a job of a dead process stands still for it. */
const LEASE_MS = 5_000;
const CHUNKS_MAX = 5;

export interface RunnerOptions {
  /** Of this process and no other, new at each start: what it wrote before a crash is not its own any more. */
  readonly token: string;
  readonly instance: string;
  readonly stopLimitMs: number;
}

export const RUNNER_OPTIONS = Symbol('RUNNER_OPTIONS');

interface Held {
  job: RedriveJob;
  readonly pacer: Pacer;
  readonly imagined: Imagined;
}

/**
 * Works on jobs, step by step, several side by side. The row holds how far each is; this keeps only its pace. Two
 * processes never run one step of a job: the lease keeps them apart, and the row decides.
 */
@Injectable()
export class RedriveJobRunner implements OnApplicationBootstrap, BeforeApplicationShutdown {
  private readonly held = new Map<number, Held>();
  private readonly loop: PollLoop;
  private adoptAt = 0;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: RedriveJobStore,
    private readonly steps: RedriveJobSteps,
    private readonly clock: Clock,
    private readonly log: Log,
    @Inject(RUNNER_OPTIONS) private readonly options: RunnerOptions,
  ) {
    this.loop = new PollLoop(
      clock,
      POLL_MS,
      () => this.pass(),
      (error) => this.log.warn('redrive_job.paused', { error: String(error) }),
    );
  }

  onApplicationBootstrap(): void {
    this.loop.start();
  }

  async beforeApplicationShutdown(): Promise<void> {
    await this.loop.stop(this.options.stopLimitMs);
    // A lease that is not given back runs out by itself.
    await this.unitOfWork.write((tx) => this.store.release(tx, this.options.token)).catch(() => undefined);
  }

  /** True when there may be more to do at once. */
  async pass(): Promise<boolean> {
    await this.adopt();
    let isBusy = false;
    for (const [id, held] of this.held) {
      if (this.loop.stopping) return false;
      try {
        isBusy = (await this.work(held)) || isBusy;
      } catch (error) {
        // Read anew at the next look: its row says where it stands, whatever this process believed.
        this.held.delete(id);
        if (!(error instanceof JobMovedError)) throw error;
        this.adoptAt = 0;
      }
      if (!isActive(held.job.status)) this.held.delete(id);
    }
    return isBusy;
  }

  private async adopt(): Promise<void> {
    const now = this.clock.monotonic();
    if (now < this.adoptAt) return;
    this.adoptAt = now + ADOPT_MS;
    const at = this.clock.now();
    const free = await this.unitOfWork.read((tx) => this.store.free(tx, this.options.token, at, JOBS_MAX));
    for (const job of free) {
      if (this.held.has(job.id) || this.held.size >= JOBS_MAX) continue;
      const isMine = await this.unitOfWork.write((tx) => this.store.claim(tx, job, this.lease(), at));
      if (!isMine) continue;
      this.held.set(job.id, { job, pacer: new Pacer(job.rate, now), imagined: nothingImagined() });
      this.log.info('redrive_job.taken', { job: job.id, status: job.status, done: job.done, total: job.total });
    }
  }

  private async work(held: Held): Promise<boolean> {
    switch (held.job.status) {
      case 'COLLECTING':
        held.job = await this.steps.collect(held.job, this.lease());
        return true;
      case 'FORECASTING':
        held.job = await this.steps.forecast(held.job, this.lease(), held.imagined);
        return true;
      case 'RUNNING':
        return this.run(held);
      default:
        return false;
    }
  }

  private async run(held: Held): Promise<boolean> {
    for (let chunks = 0; chunks < CHUNKS_MAX && held.job.status === 'RUNNING'; chunks += 1) {
      const turns = held.pacer.take(this.clock.monotonic(), RUN_ITEMS);
      if (turns === 0) return false;
      held.job = await this.steps.run(held.job, this.lease(), turns);
    }
    return true;
  }

  private lease(): Lease {
    return { token: this.options.token, holder: this.options.instance, until: this.clock.now() + LEASE_MS };
  }
}

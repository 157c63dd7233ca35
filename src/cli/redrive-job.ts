import type { AdminApi } from './admin-api.js';
import { say, type CliContext } from './cli-context.js';
import { UnreachableError } from './cli-errors.js';

/** A stored job, as the admin API tells it. */
export interface Job {
  readonly id: number;
  readonly action: 'redrive' | 'discard';
  readonly status: string;
  readonly rate: number;
  readonly total: number;
  readonly forecastDone: number;
  readonly done: number;
  readonly forecasts: Readonly<Record<string, number>>;
  readonly results: Readonly<Record<string, number>>;
}

export interface JobItem {
  readonly place: number;
  readonly eventId: number;
  readonly forecast: string | null;
  readonly forecastReason: string | null;
  readonly result: string | null;
  readonly resultReason: string | null;
  readonly status: string | null;
  readonly errorCode: string | null;
}

export interface JobOutcomes {
  readonly statuses: Readonly<Record<string, number>>;
  /** Redriven once more since, or purged. */
  readonly changedLater: number;
}

const POLL_MS = 500;
const SAY_EVERY_MS = 5_000;
const PAGE_ITEMS_MAX = 1_000;
const AWAY_LIMIT_MS = 60_000;
/** Redriven, and not yet where it ends. */
const UNDER_WAY = ['REDRIVEN', 'RETRY', 'PARKED'];

/** Follows a job in the service. It goes on there whatever happens here. */
export class JobWatch {
  private saidAt = 0;

  constructor(
    private readonly context: CliContext,
    private readonly api: AdminApi,
    private readonly id: number,
  ) {}

  read(): Promise<Job> {
    return this.api.get<Job>(`redrive-jobs/${this.id}`);
  }

  move(step: 'start' | 'pause' | 'resume' | 'cancel'): Promise<Job> {
    return this.api.post<Job>(`redrive-jobs/${this.id}/${step}`);
  }

  /** Until nobody works on it: the dry run has ended, or it is done, paused or cancelled. */
  async whileActive(): Promise<Job> {
    for (;;) {
      const job = await this.patiently(() => this.read());
      if (!['COLLECTING', 'FORECASTING', 'RUNNING'].includes(job.status)) return job;
      const done = job.status === 'RUNNING' ? job.done : job.forecastDone;
      this.progress(`job ${job.id} ${job.status} ${done}/${job.total}`);
      await this.context.clock.sleep(POLL_MS, this.context.signal);
    }
  }

  /** What became of the redriven events, once all have ended or `limitMs` is over. */
  async outcomes(limitMs: number): Promise<JobOutcomes> {
    const deadline = this.context.clock.monotonic() + limitMs;
    for (;;) {
      const outcomes = await this.patiently(() => this.api.get<JobOutcomes>(`redrive-jobs/${this.id}/outcomes`));
      const left = underWay(outcomes);
      if (left === 0 || this.context.clock.monotonic() >= deadline) return outcomes;
      this.progress(`${left} redriven event(s) under way`);
      await this.context.clock.sleep(POLL_MS, this.context.signal);
    }
  }

  /** At most `limit` items of which `isWanted` is true, in the order of the work. */
  async items(isWanted: (item: JobItem) => boolean, limit: number): Promise<{ items: JobItem[]; isComplete: boolean }> {
    const items: JobItem[] = [];
    for (let fromPlace: number | null = 0; fromPlace !== null;) {
      const path = `redrive-jobs/${this.id}/items`;
      const query = { fromPlace, limit: PAGE_ITEMS_MAX };
      const page: { items: JobItem[]; next: number | null } = await this.patiently(() => this.api.get(path, query));
      for (const item of page.items.filter(isWanted)) {
        if (items.length === limit) return { items, isComplete: false };
        items.push(item);
      }
      fromPlace = page.next;
    }
    return { items, isComplete: true };
  }

  /** The process may be starting anew; another one takes the job up meanwhile. */
  private async patiently<T>(ask: () => Promise<T>): Promise<T> {
    const deadline = this.context.clock.monotonic() + AWAY_LIMIT_MS;
    for (;;) {
      this.context.signal.throwIfAborted();
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof UnreachableError) || this.context.clock.monotonic() >= deadline) throw error;
        await this.context.clock.sleep(POLL_MS, this.context.signal);
      }
    }
  }

  private progress(line: string): void {
    const now = this.context.clock.monotonic();
    if (now - this.saidAt < SAY_EVERY_MS) return;
    this.saidAt = now;
    say(this.context, line);
  }
}

export function underWay({ statuses }: JobOutcomes): number {
  return UNDER_WAY.reduce((sum, status) => sum + (statuses[status] ?? 0), 0);
}

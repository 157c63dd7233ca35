import { Injectable, NotFoundException } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { EventLog } from '../event-log/event-log.js';
import { Clock } from '../runtime/clock.js';
import type { JobItemsQuery } from './redrive-job-body.js';
import { firstPlace, type RedriveJob } from './redrive-job.js';
import { RedriveJobStore } from './redrive-job-store.js';
import type { JobItemPageView, JobOutcomesView, RedriveJobDetailView } from './redrive-job-view.js';
import { jobView } from './redrive-job-view.js';

const OUTCOME_ITEMS = 2_000;

/** What the admin API tells of jobs. What became of a redriven event is asked of its row, never remembered. */
@Injectable()
export class RedriveJobReader {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: RedriveJobStore,
    private readonly eventLog: EventLog,
    private readonly clock: Clock,
  ) {}

  async job(id: number): Promise<RedriveJob> {
    const job = await this.unitOfWork.read((tx) => this.store.find(tx, id));
    if (!job) throw new NotFoundException(`no job has the id ${id}`);
    return job;
  }

  async detail(id: number): Promise<RedriveJobDetailView> {
    const job = await this.job(id);
    return this.unitOfWork.read(async (tx) => ({
      ...jobView(job),
      forecasts: await this.store.counts(tx, id, 'forecast'),
      results: await this.store.counts(tx, id, 'result'),
    }));
  }

  async items(id: number, { fromPlace, limit, result, forecast }: JobItemsQuery): Promise<JobItemPageView> {
    const job = await this.job(id);
    return this.unitOfWork.read(async (tx) => {
      const found = await this.store.items(tx, job, fromPlace, limit + 1, result, forecast);
      const items = found.slice(0, limit);
      const ids = items.map(({ eventId }) => eventId);
      const rows = ids.length === 0 ? [] : await this.eventLog.search(tx, { ids, limit: ids.length });
      const byId = new Map(rows.map((row) => [row.id, row]));
      return {
        items: items.map((item) => {
          const row = byId.get(item.eventId);
          const { status = null, generation: statusGeneration = null, errorCode = null } = row ?? {};
          return { ...item, status, statusGeneration, errorCode };
        }),
        next: found[limit]?.place ?? null,
      };
    });
  }

  /** In pieces, with a turn for others after each: a large job's rows are many. */
  async outcomes(id: number): Promise<JobOutcomesView> {
    const job = await this.job(id);
    const first = firstPlace(job);
    const counts = new Map<string, number>();
    let changedLater = 0;
    for (let from = 0; from < job.total; from += OUTCOME_ITEMS) {
      const rows = await this.unitOfWork.read(({ manager }) =>
        manager.query<{ status: string | null; same: number | null; total: number }[]>(
          `SELECT e.status AS status, e.generation = i.generation + 1 AS same, COUNT(*) AS total
           FROM redrive_item i LEFT JOIN event_log e ON e.id = i.event_id
           WHERE i.job_id = ? AND i.place >= ? AND i.place < ? AND i.result = 'redriven'
           GROUP BY e.status, e.generation = i.generation + 1`,
          [id, first + from, first + from + OUTCOME_ITEMS],
        ),
      );
      for (const { status, same, total } of rows) {
        if (status !== null && same === 1) counts.set(status, (counts.get(status) ?? 0) + Number(total));
        else changedLater += Number(total);
      }
      await this.clock.nextTurn();
    }
    return { statuses: Object.fromEntries(counts), changedLater };
  }
}

import { BadRequestException, ConflictException, Injectable, NotFoundException } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import { WAITING } from '../event-log/status.js';
import { Clock } from '../runtime/clock.js';
import { Random } from '../runtime/random.js';
import { AuditLog } from '../access/audit-log.js';
import type { AdminFilter } from './event-search.js';
import { filterOfQuery } from './filter-of-query.js';
import type { JobStatus, RedriveJob } from './redrive-job.js';
import type { RedriveJobBody } from './redrive-job-body.js';
import { RedriveJobStore } from './redrive-job-store.js';

/** What a person may do with a job, and from where. */
const MOVES = {
  start: { from: ['DRAFT'], to: 'RUNNING' },
  pause: { from: ['COLLECTING', 'FORECASTING', 'RUNNING'], to: 'PAUSED' },
  cancel: { from: ['COLLECTING', 'FORECASTING', 'DRAFT', 'RUNNING', 'PAUSED'], to: 'CANCELLED' },
} as const satisfies Record<string, { from: readonly JobStatus[]; to: JobStatus }>;

export type JobMove = keyof typeof MOVES | 'resume';

/** Makes jobs and moves them; a runner does their work. Each change commits with its audit row. */
@Injectable()
export class RedriveJobService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly store: RedriveJobStore,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
    private readonly random: Random,
  ) {}

  async create(body: RedriveJobBody, actor: string): Promise<RedriveJob> {
    const filter = filterOf(body);
    const { action, rate, reason, dryRun: isDryRun, items } = body;
    const createdAt = this.clock.now();
    const token = this.random.token();
    return this.unitOfWork.write(async (tx) => {
      const id = await this.store.create(tx, { createdAt, actor, action, reason, filter, rate, isDryRun }, token);
      if (items) await this.begin(tx, id, items, isDryRun ? 'FORECASTING' : 'RUNNING');
      await this.record(tx, id, actor, 'create', { action, reason, rate, filter, items: items?.length ?? null });
      return this.found(tx, id);
    });
  }

  /** Throws 404 for no such job and 409 for one that is not where it could be moved from. */
  async move(id: number, move: JobMove, actor: string): Promise<RedriveJob> {
    return this.unitOfWork.write(async (tx) => {
      const now = this.clock.now();
      const moved =
        move === 'resume'
          ? await this.store.resume(tx, id)
          : await this.store.move(tx, id, MOVES[move].from, MOVES[move].to, now);
      const job = await this.found(tx, id);
      if (!moved) throw new ConflictException(`job ${id} is ${job.status}: it cannot ${move}`);
      await this.record(tx, id, actor, move, { done: job.done, total: job.total });
      return job;
    });
  }

  private async begin(tx: Tx, id: number, items: RedriveJobBody['items'] & object, status: JobStatus): Promise<void> {
    const distinct = new Map(items.map((item) => [item.id, item]));
    const newestFirst = [...distinct.values()].sort((a, b) => b.id - a.id);
    await this.store.addItems(tx, await this.found(tx, id), newestFirst);
    await this.store.begin(tx, id, newestFirst.length, status, this.clock.now());
  }

  private async found(tx: Tx, id: number): Promise<RedriveJob> {
    const job = await this.store.find(tx, id);
    if (!job) throw new NotFoundException(`no job has the id ${id}`);
    return job;
  }

  private async record(
    tx: Tx,
    id: number,
    actor: string,
    move: string,
    detail: Record<string, unknown>,
  ): Promise<void> {
    const entry = { at: this.clock.now(), actor, action: `redrive-job.${move}`, target: `redrive-job:${id}`, detail };
    await this.audit.record(tx, entry);
  }
}

/** The filter with the statuses that the action can change; null for items named one by one. */
function filterOf({ action, filter, items }: RedriveJobBody): AdminFilter | null {
  if ((filter === undefined) === (items === undefined))
    throw new BadRequestException(['give either filter or items, and not both']);
  if (filter === undefined) return null;
  const changeable: readonly string[] = action === 'redrive' ? ['DEAD'] : WAITING;
  const asked = filter.status ?? ['DEAD'];
  const wrong = asked.filter((status) => !changeable.includes(status));
  if (wrong.length > 0) throw new BadRequestException([`filter.status: ${action} cannot change ${wrong.join(', ')}`]);
  return { ...filterOfQuery(filter), statuses: asked };
}

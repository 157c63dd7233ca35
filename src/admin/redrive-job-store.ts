import { Injectable } from '@nestjs/common';
import { changedRows } from '../database/changed-rows.js';
import { places, tuples } from '../database/sql-lists.js';
import type { Tx } from '../database/unit-of-work.js';
import type { Action, ItemResultName } from './dead-letter-service.js';
import type { AdminFilter } from './event-search.js';
import type { Forecast } from './forecast.js';
import { ACTIVE, firstPlace, type JobItem, type JobStatus, type RedriveJob } from './redrive-job.js';

interface RawJob {
  readonly id: number;
  readonly created_at: number;
  readonly actor: string;
  readonly action: Action;
  readonly reason: string;
  readonly filter: string | null;
  readonly rate_max: number;
  readonly dry_run: number;
  readonly status: JobStatus;
  readonly collect_cursor: string | null;
  readonly total: number;
  readonly forecast_done: number;
  readonly done: number;
  readonly started_at: number | null;
  readonly finished_at: number | null;
  readonly lease_holder: string | null;
}

interface RawItem {
  readonly place: number;
  readonly event_id: number;
  readonly generation: number;
  readonly forecast: Forecast['kind'] | null;
  readonly forecast_reason: string | null;
  readonly result: ItemResultName | null;
  readonly result_reason: string | null;
  readonly done_at: number | null;
}

/** What a step changes of its job, beside its items. */
export interface JobChange {
  readonly status?: JobStatus;
  readonly total?: number;
  readonly forecastDone?: number;
  readonly done?: number;
  readonly collectCursor?: string | null;
  readonly startedAt?: number;
  readonly finishedAt?: number;
}

export interface Lease {
  readonly token: string;
  readonly holder: string;
  readonly until: number;
}

export type NewJob = Pick<RedriveJob, 'createdAt' | 'actor' | 'action' | 'reason' | 'filter' | 'rate' | 'isDryRun'>;

const COLUMNS: Readonly<Record<keyof JobChange, string>> = {
  status: 'status',
  total: 'total',
  forecastDone: 'forecast_done',
  done: 'done',
  collectCursor: 'collect_cursor',
  startedAt: 'started_at',
  finishedAt: 'finished_at',
};

/** The tables of jobs and their items. The SQL is portable. */
@Injectable()
export class RedriveJobStore {
  /** Returns the id; `token` is a random one, by which the row is found again: no driver tells its number alike. */
  async create(tx: Tx, job: NewJob, token: string): Promise<number> {
    await tx.manager.query(
      `INSERT INTO redrive_job (created_at, actor, action, reason, filter, rate_max, dry_run, status, total,
         forecast_done, done, lease_token, lease_until) VALUES (?, ?, ?, ?, ?, ?, ?, ?, 0, 0, 0, ?, 0)`,
      [
        ...[job.createdAt, job.actor, job.action, job.reason, job.filter && JSON.stringify(job.filter)],
        ...[job.rate, Number(job.isDryRun), 'COLLECTING', token],
      ],
    );
    const rows: { id: number }[] = await tx.manager.query('SELECT id FROM redrive_job WHERE lease_token = ?', [token]);
    const [row] = rows;
    if (!row) throw new Error('the job that was just written is not there');
    return row.id;
  }

  /** For items named one by one: all of them are there from the start. */
  async begin(tx: Tx, id: number, total: number, status: JobStatus, now: number): Promise<void> {
    const startedAt = status === 'RUNNING' ? now : null;
    const sql = 'UPDATE redrive_job SET total = ?, status = ?, started_at = ? WHERE id = ?';
    await changedRows(tx, sql, [total, status, startedAt, id]);
  }

  async find(tx: Tx, id: number): Promise<RedriveJob | null> {
    const rows: RawJob[] = await tx.manager.query('SELECT * FROM redrive_job WHERE id = ?', [id]);
    return rows[0] ? jobFrom(rows[0]) : null;
  }

  /** Newest first. */
  async list(tx: Tx, beforeId: number | undefined, limit: number): Promise<RedriveJob[]> {
    const [where, values] = beforeId === undefined ? ['', []] : ['WHERE id < ?', [beforeId]];
    const sql = `SELECT * FROM redrive_job ${where} ORDER BY id DESC LIMIT ?`;
    const rows: RawJob[] = await tx.manager.query(sql, [...values, limit]);
    return rows.map(jobFrom);
  }

  /** Jobs that wait for a process to work on them: nobody's, this one's own, or those of one that is gone. */
  async free(tx: Tx, token: string, now: number, limit: number): Promise<RedriveJob[]> {
    const rows: RawJob[] = await tx.manager.query(
      `SELECT * FROM redrive_job WHERE status IN (${places(ACTIVE)})
         AND (lease_token IS NULL OR lease_token = ? OR lease_until < ?) ORDER BY id LIMIT ?`,
      [...ACTIVE, token, now, limit],
    );
    return rows.map(jobFrom);
  }

  /** False when another process was faster, or a person stopped it. */
  async claim(tx: Tx, { id, status }: RedriveJob, { token, holder, until }: Lease, now: number): Promise<boolean> {
    return changedOne(
      tx,
      `UPDATE redrive_job SET lease_token = ?, lease_holder = ?, lease_until = ?
       WHERE id = ? AND status = ? AND (lease_token IS NULL OR lease_token = ? OR lease_until < ?)`,
      [token, holder, until, id, status, token, now],
    );
  }

  /**
   * First statement of each step: the job is as it was read, and it is this process that works on it. It holds the row
   * until the commit, so who pauses or cancels waits for the step, and after that no further step begins.
   */
  async advance(tx: Tx, job: RedriveJob, { token, until }: Lease, change: JobChange): Promise<boolean> {
    const columns = Object.keys(change) as (keyof JobChange)[];
    const sets = ['lease_until = ?', ...columns.map((column) => `${COLUMNS[column]} = ?`)];
    return changedOne(
      tx,
      `UPDATE redrive_job SET ${sets.join(', ')} WHERE id = ? AND status = ? AND lease_token = ?
         AND total = ? AND forecast_done = ? AND done = ?`,
      [
        ...[until, ...columns.map((column) => change[column] ?? null)],
        ...[job.id, job.status, token, job.total, job.forecastDone, job.done],
      ],
    );
  }

  /** A process that stops gives its jobs back, so that the next one need not wait. */
  async release(tx: Tx, token: string): Promise<void> {
    await changedRows(tx, 'UPDATE redrive_job SET lease_token = NULL, lease_until = 0 WHERE lease_token = ?', [token]);
  }

  /** By a person, from one of `from`. False when the job is in none of them. */
  async move(tx: Tx, id: number, from: readonly JobStatus[], to: JobStatus, now: number): Promise<boolean> {
    const finishedAt = to === 'CANCELLED' ? now : null;
    return changedOne(
      tx,
      `UPDATE redrive_job SET paused_from = status, status = ?, finished_at = ?, lease_token = NULL, lease_until = 0,
         started_at = ${to === 'RUNNING' ? 'COALESCE(started_at, ?)' : 'started_at'}
       WHERE id = ? AND status IN (${places(from)})`,
      [to, finishedAt, ...(to === 'RUNNING' ? [now] : []), id, ...from],
    );
  }

  /** Back to what it was doing. */
  async resume(tx: Tx, id: number): Promise<boolean> {
    return changedOne(tx, "UPDATE redrive_job SET status = paused_from WHERE id = ? AND status = 'PAUSED'", [id]);
  }

  /** `items` newest first, as they are found; they go before those that are there. */
  async addItems(tx: Tx, job: RedriveJob, items: readonly { id: number; generation: number }[]): Promise<void> {
    if (items.length === 0) return;
    const place = firstPlace(job) - 1;
    await tx.manager.query(
      `INSERT INTO redrive_item (job_id, place, event_id, generation) VALUES ${tuples(items.length, 4)}`,
      items.flatMap(({ id, generation }, index) => [job.id, place - index, id, generation]),
    );
  }

  /** In the order of the work, from the item after the first `skip`. */
  async items(
    tx: Tx,
    job: RedriveJob,
    skip: number,
    limit: number,
    result?: string,
    forecast?: string,
  ): Promise<JobItem[]> {
    const first = firstPlace(job);
    const wanted = [
      ...(result === undefined ? [] : [['result = ?', result] as const]),
      ...(forecast === undefined ? [] : [['forecast = ?', forecast] as const]),
    ];
    const rows: RawItem[] = await tx.manager.query(
      `SELECT * FROM redrive_item WHERE job_id = ? AND place >= ?${wanted.map(([sql]) => ` AND ${sql}`).join('')}
       ORDER BY place LIMIT ?`,
      [job.id, first + skip, ...wanted.map(([, value]) => value), limit],
    );
    return rows.map((raw) => itemFrom(raw, first));
  }

  async writeForecasts(tx: Tx, job: RedriveJob, items: readonly JobItem[], told: readonly Forecast[]): Promise<void> {
    const sql = 'UPDATE redrive_item SET forecast = ?, forecast_reason = ? WHERE job_id = ? AND place = ?';
    for (const [index, { place }] of items.entries()) {
      const one = told[index];
      if (one) await changedRows(tx, sql, [one.kind, one.reason, job.id, firstPlace(job) + place]);
    }
  }

  async writeResult(
    tx: Tx,
    job: RedriveJob,
    { place }: JobItem,
    { result, reason }: { result: ItemResultName; reason: string },
    now: number,
  ): Promise<boolean> {
    return changedOne(
      tx,
      `UPDATE redrive_item SET result = ?, result_reason = ?, done_at = ?
       WHERE job_id = ? AND place = ? AND result IS NULL`,
      [result, reason, now, job.id, firstPlace(job) + place],
    );
  }

  async counts(tx: Tx, id: number, column: 'result' | 'forecast'): Promise<Record<string, number>> {
    const rows: { name: string; total: number }[] = await tx.manager.query(
      `SELECT ${column} AS name, COUNT(*) AS total FROM redrive_item
       WHERE job_id = ? AND ${column} IS NOT NULL GROUP BY ${column}`,
      [id],
    );
    return Object.fromEntries(rows.map(({ name, total }) => [name, Number(total)]));
  }
}

async function changedOne(tx: Tx, sql: string, values: readonly unknown[]): Promise<boolean> {
  return (await changedRows(tx, sql, values)) === 1;
}

function jobFrom(raw: RawJob): RedriveJob {
  return {
    ...{ id: raw.id, createdAt: raw.created_at, actor: raw.actor, action: raw.action, reason: raw.reason },
    filter: raw.filter === null ? null : (JSON.parse(raw.filter) as AdminFilter),
    ...{ rate: raw.rate_max, isDryRun: raw.dry_run !== 0, status: raw.status, collectCursor: raw.collect_cursor },
    ...{ total: raw.total, forecastDone: raw.forecast_done, done: raw.done },
    ...{ startedAt: raw.started_at, finishedAt: raw.finished_at, leaseHolder: raw.lease_holder },
  };
}

/** `place` counts from 0, in the order of the work. */
function itemFrom(raw: RawItem, first: number): JobItem {
  return {
    ...{ place: raw.place - first, eventId: raw.event_id, generation: raw.generation, forecast: raw.forecast },
    ...{
      forecastReason: raw.forecast_reason,
      result: raw.result,
      resultReason: raw.result_reason,
      doneAt: raw.done_at,
    },
  };
}

import type { Action, ItemResultName } from './dead-letter-service.js';
import type { AdminFilter } from './event-search.js';
import type { Forecast } from './forecast.js';

/**
 * `COLLECTING`: its items are being written down. `FORECASTING`: a dry run is under way. `DRAFT`: the dry run has ended,
 * a person decides. `RUNNING`, and until somebody resumes `PAUSED`. `DONE` and `CANCELLED` are final.
 */
export const JOB_STATUSES = ['COLLECTING', 'FORECASTING', 'DRAFT', 'RUNNING', 'PAUSED', 'DONE', 'CANCELLED'] as const;
export type JobStatus = (typeof JOB_STATUSES)[number];

/** What a process works on. */
export const ACTIVE = ['COLLECTING', 'FORECASTING', 'RUNNING'] as const;
export type ActiveStatus = (typeof ACTIVE)[number];

export const JOB_ITEMS_MAX = 500_000;

export interface RedriveJob {
  readonly id: number;
  readonly createdAt: number;
  readonly actor: string;
  readonly action: Action;
  readonly reason: string;
  /** Null when the items were named one by one. */
  readonly filter: AdminFilter | null;
  /** Items a second, at most. */
  readonly rate: number;
  readonly isDryRun: boolean;
  readonly status: JobStatus;
  /** Where the collecting goes on. */
  readonly collectCursor: string | null;
  readonly total: number;
  readonly forecastDone: number;
  readonly done: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  /** The process that works on it. */
  readonly leaseHolder: string | null;
}

/** One event of a job: as it was seen when the job was made, and what became of it. */
export interface JobItem {
  readonly place: number;
  readonly eventId: number;
  readonly generation: number;
  readonly forecast: Forecast['kind'] | null;
  readonly forecastReason: string | null;
  readonly result: ItemResultName | null;
  readonly resultReason: string | null;
  readonly doneAt: number | null;
}

export function isActive(status: JobStatus): status is ActiveStatus {
  return (ACTIVE as readonly string[]).includes(status);
}

/**
 * Items are found newest first and worked on oldest first, so their places are given from the end backwards. The oldest
 * go first since a newer event of an entity would make them stale.
 */
export function firstPlace({ total }: Pick<RedriveJob, 'total'>): number {
  return JOB_ITEMS_MAX - total;
}

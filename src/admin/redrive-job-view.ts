import { STATUSES } from './event-view.js';
import { ACTIONS, ITEM_RESULTS, type Action } from './dead-letter-service.js';
import { FORECASTS } from './forecast.js';
import { JOB_STATUSES, type JobStatus, type RedriveJob } from './redrive-job.js';
import { shown } from './view-fields.js';

export class RedriveJobView {
  @shown.integer()
  id!: number;

  @shown.one(ACTIONS)
  action!: Action;

  @shown.one(JOB_STATUSES)
  status!: JobStatus;

  @shown.text()
  actor!: string;

  @shown.text()
  reason!: string;

  @shown.anything({ nullable: true, description: 'The filter; null when the items were named one by one' })
  filter!: object | null;

  @shown.integer({ description: 'Items a second, at most' })
  rate!: number;

  @shown.flag({ description: 'A dry run goes first, and the job waits for `start` after it' })
  dryRun!: boolean;

  @shown.integer({ description: 'Items; grows while it is COLLECTING' })
  total!: number;

  @shown.integer({ description: 'Items that the dry run has looked at' })
  forecastDone!: number;

  @shown.integer({ description: 'Items that have a result' })
  done!: number;

  @shown.time()
  createdAt!: number;

  @shown.time({ nullable: true })
  startedAt!: number | null;

  @shown.time({ nullable: true })
  finishedAt!: number | null;

  @shown.text({ nullable: true, description: 'The process that works on it, or did' })
  leaseHolder!: string | null;
}

export class RedriveJobDetailView extends RedriveJobView {
  @shown.counts({ description: `Items by what the dry run says: ${FORECASTS.join(', ')}` })
  forecasts!: Record<string, number>;

  @shown.counts({ description: `Items by result: ${ITEM_RESULTS.join(', ')}` })
  results!: Record<string, number>;
}

export class RedriveJobPageView {
  @shown.list(() => RedriveJobView, { description: 'Newest first' })
  items!: RedriveJobView[];

  @shown.integer({ nullable: true, description: 'Give it as beforeId to get the next page; null at the end' })
  next!: number | null;
}

export class JobItemView {
  @shown.integer({ description: 'In the order of the work, from 0' })
  place!: number;

  @shown.integer()
  eventId!: number;

  @shown.integer({ description: 'As it was when the job was made' })
  generation!: number;

  @shown.one(FORECASTS, { nullable: true })
  forecast!: string | null;

  @shown.text({ nullable: true })
  forecastReason!: string | null;

  @shown.one(ITEM_RESULTS, { nullable: true, description: 'Null until its turn comes' })
  result!: string | null;

  @shown.text({ nullable: true })
  resultReason!: string | null;

  @shown.time({ nullable: true })
  doneAt!: number | null;

  @shown.one(STATUSES, { nullable: true, description: 'What its row says now; null when there is no such event' })
  status!: string | null;

  @shown.integer({ nullable: true })
  statusGeneration!: number | null;

  @shown.text({ nullable: true, description: 'The error in its row now' })
  errorCode!: string | null;
}

export class JobItemPageView {
  @shown.list(() => JobItemView)
  items!: JobItemView[];

  @shown.integer({ nullable: true, description: 'Give it as fromPlace to get the next page; null at the end' })
  next!: number | null;
}

export class JobOutcomesView {
  @shown.counts({ description: 'Redriven items by what their rows say now' })
  statuses!: Record<string, number>;

  @shown.integer({ description: 'Redriven items that were redriven once more since, or purged' })
  changedLater!: number;
}

export function jobView(job: RedriveJob): RedriveJobView {
  const { collectCursor: _cursor, isDryRun, ...shownOf } = job;
  return { ...shownOf, dryRun: isDryRun };
}

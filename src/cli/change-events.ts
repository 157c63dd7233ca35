import { AdminApi, type AdminOption } from './admin-api.js';
import { say, writeJson, writeLines, type CliContext, type JsonOption } from './cli-context.js';
import { NotSoError, StoppedError, UsageError } from './cli-errors.js';
import { filterOf, type FilterOptions } from './event-filter.js';
import { EXIT, type ExitCode } from './exit-codes.js';
import { printable, table } from './printable.js';
import { JobWatch, underWay, type Job, type JobItem, type JobOutcomes } from './redrive-job.js';

export type ChangeAction = 'redrive' | 'discard';

export interface ChangeOptions extends AdminOption, JsonOption, FilterOptions {
  readonly all?: boolean;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
  readonly rate: number;
  readonly reason?: string;
  /** Seconds; a discard has none. */
  readonly wait?: number;
  readonly job?: number;
  readonly start?: boolean;
  readonly pause?: boolean;
  readonly resume?: boolean;
  readonly cancel?: boolean;
}

interface Outcome {
  readonly job: Job;
  readonly outcomes: JobOutcomes | null;
  /** Items that did not go as they should. */
  readonly odd: { readonly items: readonly JobItem[]; readonly isComplete: boolean };
}

const IDS_MAX = 1_000;
const ODD_MAX = 100;
const STEPS = ['start', 'pause', 'resume', 'cancel'] as const;
const WOULD_DO: Readonly<Record<ChangeAction, string>> = { redrive: 'would-apply', discard: 'would-be-discarded' };
const DONE: Readonly<Record<ChangeAction, string>> = { redrive: 'redriven', discard: 'discarded' };

/**
 * Redrive or discard of many: a job in the service, whose dry run always goes first. What is reported is what the rows
 * say in the end, not that the job has run.
 */
export async function changeEvents(
  context: CliContext,
  action: ChangeAction,
  ids: readonly string[],
  options: ChangeOptions,
): Promise<ExitCode> {
  checkUse(action, ids, options);
  const api = AdminApi.open(context, options);
  const job = options.job ?? (await create(context, api, action, ids, options)).id;
  const watch = new JobWatch(context, api, job);
  try {
    const outcome = await run(context, watch, action, options);
    if (options.json) writeJson(context, outcome);
    else writeOutcome(context, outcome);
    return exitOf(outcome, options);
  } catch (error) {
    if (error instanceof StoppedError)
      say(
        context,
        `job ${job} goes on in the service. Look: ${action} --job ${job}; end it: ${action} --job ${job} --cancel`,
      );
    throw error;
  } finally {
    api.close();
  }
}

function checkUse(action: ChangeAction, ids: readonly string[], options: ChangeOptions): void {
  const { job, all, dryRun, yes, reason } = options;
  const hasFilter = Object.keys(filterOf(options, { now: () => 0 } as CliContext['clock'])).length > 0;
  const steps = STEPS.filter((step) => options[step]);
  if (job !== undefined) {
    if (ids.length > 0 || hasFilter || all || dryRun) throw new UsageError('--job names a job: its events are fixed');
    if (steps.length > 1) throw new UsageError(`give one of ${steps.map((step) => `--${step}`).join(', ')}`);
    if (action === 'discard' && steps.includes('start') && !yes) throw new UsageError(YES);
    return;
  }
  if (steps.length > 0) throw new UsageError(`--${steps[0]} needs --job <id>`);
  const ways = [ids.length > 0, hasFilter, all === true].filter(Boolean).length;
  if (ways !== 1)
    throw new UsageError('say which events: ids, or a filter, or --all for every dead letter; one of these');
  if (ids.length > IDS_MAX) throw new UsageError(`at most ${IDS_MAX} ids; use a filter for more`);
  const wrong = ids.find((id) => !/^\d{1,15}$/.test(id));
  if (wrong !== undefined)
    throw new UsageError(`${JSON.stringify(wrong)} is no id of an event: see the first column of find`);
  if (action === 'discard' && !dryRun) {
    if (!yes) throw new UsageError(YES);
    if (reason === undefined) throw new UsageError('a discard needs --reason: it is for good, and the audit keeps why');
  }
}

const YES = 'a discard is for good: look first with --dry-run, then add --yes';

async function create(
  context: CliContext,
  api: AdminApi,
  action: ChangeAction,
  ids: readonly string[],
  options: ChangeOptions,
): Promise<Job> {
  const { rate, reason = '' } = options;
  const which =
    ids.length > 0 ? { items: await seen(context, api, ids) } : { filter: filterOf(options, context.clock) };
  return api.post<Job>('redrive-jobs', { action, ...which, rate, reason, dryRun: true });
}

/** In the generation that they are in now: whoever moves one meanwhile is not overruled. */
async function seen(
  { signal }: CliContext,
  api: AdminApi,
  ids: readonly string[],
): Promise<{ id: number; generation: number }[]> {
  const items: { id: number; generation: number }[] = [];
  for (const id of new Set(ids.map(Number))) {
    signal.throwIfAborted();
    try {
      items.push({ id, generation: (await api.get<{ generation: number }>(`events/${id}`)).generation });
    } catch (error) {
      // The job says of it that it was not found, beside the results of the others.
      if (!(error instanceof NotSoError)) throw error;
      items.push({ id, generation: 0 });
    }
  }
  return items;
}

async function run(
  context: CliContext,
  watch: JobWatch,
  action: ChangeAction,
  options: ChangeOptions,
): Promise<Outcome> {
  const step = STEPS.find((step) => options[step]);
  if (step !== undefined) await watch.move(step);
  let job = await watch.whileActive();
  if (job.action !== action) throw new UsageError(`job ${job.id} is a ${job.action}: use that command`);
  const isNew = options.job === undefined;
  if (job.status === 'DRAFT' && isNew && !options.dryRun && job.total > 0) {
    if (!options.json) writeLines(context, forecastLines(job));
    await watch.move('start');
    job = await watch.whileActive();
  }
  const isOver = job.status === 'DONE';
  const outcomes = isOver && action === 'redrive' ? await watch.outcomes((options.wait ?? 0) * 1_000) : null;
  const odd = isOver
    ? await watch.items((item) => !isAsWanted(action, item), ODD_MAX)
    : await watch.items(({ forecast }) => forecast !== null && forecast !== WOULD_DO[action], ODD_MAX);
  return { job: await watch.read(), outcomes, odd };
}

function isAsWanted(action: ChangeAction, { result, status }: JobItem): boolean {
  return result === DONE[action] && (action === 'discard' || status === 'APPLIED' || status === 'STALE');
}

function exitOf({ job, outcomes, odd }: Outcome, options: ChangeOptions): ExitCode {
  // Asked to look, or to pause: that was done, whatever was seen.
  if (job.status === 'PAUSED' || (job.status === 'CANCELLED' && options.cancel)) return EXIT.ok;
  if (job.total === 0) return EXIT.notSo;
  if (job.status === 'DRAFT') return EXIT.ok;
  const isRight = job.status === 'DONE' && odd.items.length === 0 && (outcomes === null || underWay(outcomes) === 0);
  return isRight ? EXIT.ok : EXIT.notSo;
}

function forecastLines({ id, action, total, forecasts }: Job): string[] {
  const counts = Object.entries(forecasts).map(([name, count]) => [`  ${name}`, String(count)]);
  return [`job ${id}: dry run of ${action}, ${total} event(s)`, ...table(counts)];
}

function writeOutcome(context: CliContext, { job, outcomes, odd }: Outcome): void {
  const { id, action, status, total, results } = job;
  if (total === 0) return say(context, `nothing matches: job ${id} has no event`);
  if (status === 'DRAFT') {
    writeLines(context, [
      ...forecastLines(job),
      ...oddLines(odd, ({ forecast, forecastReason }) => [forecast, forecastReason]),
    ]);
    say(context, `nothing was changed. Do it: ${action} --job ${id} --start${action === 'discard' ? ' --yes' : ''}`);
    return;
  }
  const counts = (all: Readonly<Record<string, number>>): string[] =>
    table(Object.entries(all).map(([name, count]) => [`  ${name}`, String(count)]));
  writeLines(context, [`job ${id}: ${action} ${status}, ${job.done} of ${total} event(s)`, ...counts(results)]);
  if (outcomes !== null) {
    const later: Record<string, number> = outcomes.changedLater > 0 ? { 'changed later': outcomes.changedLater } : {};
    writeLines(context, ['what became of the redriven:', ...counts({ ...outcomes.statuses, ...later })]);
    const left = underWay(outcomes);
    if (left > 0)
      say(context, `${left} still under way: look again with ${action} --job ${id}, or wait longer with --wait`);
  }
  writeLines(
    context,
    oddLines(odd, (item) => [item.result, item.status, item.errorCode ?? item.resultReason]),
  );
}

function oddLines(
  { items, isComplete }: Outcome['odd'],
  cells: (item: JobItem) => readonly (string | null)[],
): string[] {
  const rows = items.map((item) => [`  event ${item.eventId}`, ...cells(item).map((cell) => printable(cell ?? ''))]);
  return [
    ...(rows.length > 0 ? ['not as it should be:', ...table(rows)] : []),
    ...(isComplete ? [] : [`  … and more than ${ODD_MAX}`]),
  ];
}

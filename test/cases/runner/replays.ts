import { ITEM_RESULTS } from '../../../src/admin/dead-letter-service.js';
import type { EventRow } from './ledger.js';
import type { Stack } from './stack.js';
import type { Step } from './vocabulary.js';
import { CaseFailedError, ensure, ensureEqual, UnsupportedError } from './verdict.js';

const RATE = 50;
/** What a request may name one by one. */
const LIMIT_MAX = 1_000;
const PAGE = 1_000;
/** What a pace may be ahead by: half a second of standing still, and a step of 20 items. */
const SAVED_SECONDS = 0.5;
const STEP_ITEMS = 20;

/** A `replayAll` of a case: a redrive job of the product. */
export interface Replay {
  readonly jobId: number;
  readonly user: string | undefined;
  readonly ratePerSecond: number;
  /** Event rows that its filter fitted; null when it had none. */
  readonly allowed: ReadonlySet<number> | null;
}

interface Job {
  readonly status: string;
  readonly total: number;
  readonly done: number;
  readonly startedAt: number | null;
  readonly finishedAt: number | null;
  readonly results: Readonly<Record<string, number>>;
}

export function checkReplayAll(step: Step): void {
  const { filter = {}, limit } = step as { filter?: object; limit?: number };
  const unknown = Object.keys(filter).filter((name) => name !== 'reason');
  if (unknown.length > 0) throw new UnsupportedError(`replayAll filter: ${unknown.join(', ')} is not known here`);
  if (limit !== undefined && limit > LIMIT_MAX)
    throw new UnsupportedError(`replayAll limit ${limit}: at most ${LIMIT_MAX} are named one by one`);
  if (Object.keys(step.expect ?? {}).length > 0)
    throw new UnsupportedError('replayAll: what it did is asked by the check replayReport');
}

/** Makes a job and does not wait for it: `settle` does, and `replayStop` ends it. */
export async function replayAll(step: Step, stack: Stack): Promise<void> {
  const { user, limit, ratePerSecond = RATE } = step as { user?: string; limit?: number; ratePerSecond?: number };
  const reason = (step['filter'] as { reason?: string } | undefined)?.reason;
  const group = reason === undefined ? null : await groupOf(reason, stack, user);
  const query = group === null ? '' : `&errorGroup=${encodeURIComponent(group)}`;
  const which =
    limit === undefined
      ? { filter: group === null ? {} : { errorGroup: group } }
      : { items: await newest(`dead-letters?limit=${limit}${query}`, stack, user) };
  const allowed = reason === undefined ? null : await idsOf(reason, stack);
  const body = { action: 'redrive', rate: ratePerSecond, dryRun: false, reason: 'by a case', ...which };
  const { status, json, text } = await stack.admin('redrive-jobs', body, undefined, user);
  ensure(status === 200, `a replay of all was answered ${status}: ${text}`);
  stack.replays.push({ jobId: Number(json.id), user, ratePerSecond, allowed });
}

async function groupOf(reason: string, stack: Stack, user?: string): Promise<string> {
  const { json } = await stack.admin('dead-letters/groups', undefined, undefined, user);
  const found = (json.items as { group: string; message: string }[]).find(({ message }) => message === reason);
  if (!found) throw new CaseFailedError(`no group of dead letters has the reason ${reason}`);
  return found.group;
}

async function newest(path: string, stack: Stack, user?: string): Promise<{ id: number; generation: number }[]> {
  const { json } = await stack.admin(path, undefined, undefined, user);
  return (json.items as { id: number; generation: number }[]).map(({ id, generation }) => ({ id, generation }));
}

async function idsOf(reason: string, stack: Stack): Promise<Set<number>> {
  const rows = await stack.rows<EventRow>('event_log');
  return new Set(rows.filter(({ error_message }) => error_message === reason).map(({ id }) => Number(id)));
}

/** Ends each replay that has not ended by itself. */
export async function replayStop(step: Step, stack: Stack): Promise<void> {
  ensure(stack.replays.length > 0, 'there is no replay that could be stopped');
  for (const { jobId } of stack.replays) {
    const { status } = await stack.admin(`redrive-jobs/${jobId}/cancel`, {}, undefined, step['user'] as string);
    const job = await jobOf(jobId, stack);
    ensure(status === 200 || job.status === 'DONE', `a stop was answered ${status}, and the job is ${job.status}`);
  }
}

export async function isReplaying(stack: Stack): Promise<boolean> {
  for (const { jobId } of stack.replays)
    if (!['DONE', 'CANCELLED', 'PAUSED', 'DRAFT'].includes((await jobOf(jobId, stack)).status)) return true;
  return false;
}

/** What was taken, what was passed over and what is left are together what there was, by the job and by its items. */
export async function ensureReplaysAddUp(stack: Stack): Promise<void> {
  for (const replay of stack.replays) {
    const { jobId } = replay;
    const [job, items] = [await jobOf(jobId, stack), await itemsOf(jobId, stack)];
    const told = Object.values(job.results).reduce((total, count) => total + count, 0);
    const withResult = items.filter(({ result }) => result !== null);
    ensureEqual([told, withResult.length, items.length], [job.done, job.done, job.total], `sums of replay ${jobId}`);
    const silent = withResult.filter(({ resultReason }) => !resultReason);
    ensure(silent.length === 0, `replay ${jobId} gives no reason for ${silent.length} result(s)`);
    for (const { eventId, result } of withResult) {
      ensure((ITEM_RESULTS as readonly string[]).includes(String(result)), `replay ${jobId}: the result ${result}`);
      ensure(replay.allowed?.has(eventId) ?? true, `replay ${jobId} moved event ${eventId}, which its filter excludes`);
    }
    ensureRate(replay, job);
  }
}

function ensureRate({ jobId, ratePerSecond }: Replay, { done, startedAt, finishedAt }: Job): void {
  if (startedAt === null) return ensure(done === 0, `replay ${jobId} has not begun and has ${done} result(s)`);
  const seconds = ((finishedAt ?? Date.now()) - startedAt) / 1_000;
  const max = Math.ceil(ratePerSecond * (seconds + SAVED_SECONDS)) + STEP_ITEMS;
  ensure(done <= max, `replay ${jobId}: at ${ratePerSecond} a second at most ${max} in ${seconds} s, got ${done}`);
}

/** `replayReport`: the sums of all replays, and how many were put back. */
export async function checkReplayReport(stack: Stack, step: Step): Promise<void> {
  ensure(stack.replays.length > 0, 'there was no replay');
  if (step['sums'] === true) await ensureReplaysAddUp(stack);
  let queued = 0;
  for (const { jobId } of stack.replays) queued += (await jobOf(jobId, stack)).results['redriven'] ?? 0;
  ensure(queued > 0, 'nothing was replayed');
  const max = step['queuedMax'] as number | undefined;
  if (max !== undefined) ensure(queued <= max, `replayed: expected at most ${max}, got ${queued}`);
  const moved = (await stack.rows<EventRow>('event_log')).filter(({ generation }) => Number(generation) > 0);
  ensureEqual(moved.length, queued, 'events that were put back, by their rows');
}

/** Each user is named in the audit by something that they did to dead letters. */
export async function checkAudit(stack: Stack, step: Step): Promise<void> {
  for (const user of step['users'] as string[]) {
    const { json } = await stack.admin(`audit?actor=${encodeURIComponent(actorOf(user))}&limit=${PAGE}`);
    const acts = (json.items as { action: string }[]).filter(({ action }) => action.startsWith('redrive'));
    ensure(acts.length > 0, `the audit does not name ${user}`);
  }
}

/** How histories and the audit name the holder of a token. */
export function actorOf(user: string): string {
  return `token:${user}`;
}

async function jobOf(jobId: number, stack: Stack): Promise<Job> {
  const { status, json, text } = await stack.admin(`redrive-jobs/${jobId}`);
  ensure(status === 200, `replay ${jobId} was answered ${status}: ${text}`);
  return json as Job;
}

interface JobItem {
  readonly eventId: number;
  readonly result: string | null;
  readonly resultReason: string | null;
}

async function itemsOf(jobId: number, stack: Stack): Promise<JobItem[]> {
  const items: JobItem[] = [];
  for (let from: number | null = 0; from !== null;) {
    const { json } = await stack.admin(`redrive-jobs/${jobId}/items?limit=${PAGE}&fromPlace=${from}`);
    items.push(...(json.items as JobItem[]));
    from = json.next as number | null;
  }
  return items;
}

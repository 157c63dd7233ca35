import { afterEach, describe, expect, it } from 'vitest';
import { AdminRig } from '../support/admin-rig.js';
import type { GatewayProcess } from '../support/gateway-process.js';
import { approvalXml } from '../support/texts.js';
import { until } from '../support/until.js';

const TIME = 1_796_000_400;
const COUNT = 10_000;
/** Items a second: low enough for a busy machine, so that what is measured is the pace and not the machine. */
const RATE = 120;
const DEVIATION_MAX = 0.1;
/** A pace makes up for half a second of standing still (`Pacer`), and moves in steps of 20 items. */
const IN_ONE_SECOND_MAX = RATE * 1.5 + 20;
const ENDS_WITHIN_MS = 1_000;
const TAKEN_BY_OTHER = 60;
const PAGE = 1_000;
const POLL_MS = 200;
/** What a killed process had in hand comes back when its lease has run out: nobody waits half a minute here. */
const SETTINGS = { LEASE_TTL_MS: '10000' };
const DEAD = { status: 'DEAD' as const, errorCode: 'E', errorMessage: 'no' };
/** Of so many dead letters one does not parse, and one is older than what its approval has seen. */
const EVERY = 50;

let rig: AdminRig | null = null;
let service: GatewayProcess | null = null;

afterEach(async () => {
  await service?.kill();
  await rig?.stop();
  [service, rig] = [null, null];
});

type Ask = (path: string, body?: unknown) => Promise<any>;
interface Item {
  readonly place: number;
  readonly eventId: number;
  readonly generation: number;
  readonly forecast: string | null;
  readonly result: string | null;
  readonly resultReason: string | null;
  readonly doneAt: number | null;
  readonly status: string;
  readonly statusGeneration: number;
}

/** The process of now: a test that kills it asks the next one. */
function asWho(token?: string): Ask {
  return async (path, body) => {
    const { status, json } = await service!.admin(path, body, token);
    expect(status, `${path}: ${JSON.stringify(json)}`).toBe(200);
    return json;
  };
}

async function operator(name: string): Promise<Ask> {
  const body = { name, role: 'operator', permissions: [], expiresAt: null };
  return asWho((await asWho()('tokens', body)).token as string);
}

async function itemsOf(jobId: number): Promise<Item[]> {
  const items: Item[] = [];
  for (let from: number | null = 0; from !== null;) {
    const page: any = await asWho()(`redrive-jobs/${jobId}/items?fromPlace=${from}&limit=${PAGE}`);
    items.push(...(page.items as Item[]));
    from = page.next;
  }
  return items;
}

/** When somebody moved the job, as the audit has it. */
async function movesOf(jobId: number): Promise<Record<string, number>> {
  const { items } = await asWho()(`audit?target=redrive-job:${jobId}`);
  return Object.fromEntries(items.map(({ action, at }: any) => [String(action).split('.')[1], at]));
}

async function isSettled(): Promise<boolean> {
  const { statuses } = await asWho()('summary');
  return ['RETRY', 'PARKED', 'REDRIVEN'].every((status) => Number(statuses[status] ?? 0) === 0);
}

/** Effects by event key, read from the file after the process has ended. */
async function effects(): Promise<Map<string, number>> {
  await service!.stop();
  await rig!.takeBack();
  const rows = await rig!.query<{ event_key: string; total: number }>(
    'SELECT event_key, COUNT(*) AS total FROM entity_change GROUP BY event_key',
  );
  return new Map(rows.map(({ event_key, total }) => [event_key, Number(total)]));
}

/**
 * Dead letters, put into the file as workers would have; then the service on it, as a process of its own. `before` has
 * taken effect by then.
 */
async function startWith(texts: readonly string[], before: readonly string[] = []): Promise<void> {
  rig = await AdminRig.start(SETTINGS);
  if (before.length > 0) {
    await rig.put(before, DEAD);
    await rig.post('redrive-jobs', { action: 'redrive', filter: {}, rate: 1_000, dryRun: false });
    const isApplied = async (): Promise<boolean> =>
      (await rig!.get('summary')).json.statuses['APPLIED'] === before.length;
    await until(isApplied, 60_000, 'what was before has taken effect');
  }
  await rig.put(texts, DEAD);
  service = await rig.startProcess();
}

const isBroken = (n: number): boolean => n % EVERY === 17;
const isOld = (n: number): boolean => n % EVERY === 33;

function mixedText(n: number): string {
  if (isBroken(n)) return `not XML: ${n}`;
  return isOld(n) ? approvalXml(`B${n}`, 1, TIME - 5) : approvalXml(`B${n}`, 2, TIME);
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((total, one) => total + one, 0);

function mostInOneSecond(times: readonly number[]): number {
  let [most, first] = [0, 0];
  for (const [index, at] of times.entries()) {
    while (at - times[first]! >= 1_000) first += 1;
    most = Math.max(most, index - first + 1);
  }
  return most;
}

/**
 * The whole service in one process on the embedded engines. Rates are measured from what is stored: the time of each
 * item's result, over the stretches in which the job ran: from `start` to `pause`, from `resume` to the last result
 * before the kill, from the first result after it to `cancel`. The effects are rows of the built-in handlers' ledger.
 */
describe('a bulk redrive of 10,000 dead letters', () => {
  it('keeps its rate, pauses, outlives kill -9, cancels within a second, and its counts add up', async () => {
    const numbers = Array.from({ length: COUNT }, (_, n) => n);
    const newer = numbers.filter(isOld).map((n) => approvalXml(`B${n}`, 2, TIME));
    await startWith(numbers.map(mixedText), newer);
    const [ask, other] = [await operator('first'), await operator('second')];
    const { id } = await ask('redrive-jobs', { action: 'redrive', filter: {}, rate: RATE, reason: 'mended' });
    const job = (): Promise<any> => ask(`redrive-jobs/${id}`);
    // The list counts nothing: who looks at it often takes no time from the job.
    const reaches = (done: number): Promise<void> =>
      until(
        async () => {
          await pause(POLL_MS);
          return (await ask('redrive-jobs?limit=1')).items[0].done >= done;
        },
        120_000,
        `${done} items are done`,
      );
    await until(async () => (await job()).status === 'DRAFT', 120_000, 'the dry run has ended');
    const dryRun = await job();
    expect([dryRun.total, sum(dryRun.forecasts), dryRun.results]).toEqual([COUNT, COUNT, {}]);
    const forecasts = { 'would-apply': 9_600, 'would-be-stale': 200, 'would-be-dead': 200 };
    expect(dryRun.forecasts).toEqual(forecasts);

    await ask(`redrive-jobs/${id}/start`, {});
    await reaches(0.2 * COUNT);
    const pauseAskedAt = Date.now();
    await ask(`redrive-jobs/${id}/pause`, {});
    const paused = await job();
    // Meanwhile a colleague takes some of those that are still to come, one by one.
    const toCome = (await itemsOf(id)).slice(COUNT / 2);
    const taken = toCome.filter(({ place }) => place % EVERY < 10).slice(0, TAKEN_BY_OTHER);
    const ids = taken.map(({ eventId, generation }) => ({ id: eventId, generation }));
    const half = TAKEN_BY_OTHER / 2;
    const redriven = await other('dead-letters/redrive', { items: ids.slice(0, half), reason: 'mine' });
    const discarded = await other('dead-letters/discard', { items: ids.slice(half), reason: 'mine' });
    expect(redriven.items.map(({ result }: any) => result)).toEqual(Array(half).fill('redriven'));
    expect(discarded.items.map(({ result }: any) => result)).toEqual(Array(half).fill('discarded'));
    await pause(500);
    expect(await job()).toMatchObject({ status: 'PAUSED', done: paused.done });

    await ask(`redrive-jobs/${id}/resume`, {});
    await reaches(0.45 * COUNT);
    await service!.kill();
    const killedAt = Date.now();
    service = await rig!.startProcess();
    expect((await job()).status).toBe('RUNNING');
    await reaches(0.65 * COUNT);
    const cancelAskedAt = Date.now();
    await ask(`redrive-jobs/${id}/cancel`, {});
    const answeredAt = Date.now();
    const cancelled = await job();
    await until(isSettled, 60_000, 'every redriven event has its outcome');

    const items = await itemsOf(id);
    const times = items.flatMap(({ doneAt }) => doneAt ?? []).sort((a, b) => a - b);
    const moves = await movesOf(id);
    const upTo = (from: number, to: number): number[] => times.filter((at) => at > from && at <= to);
    const stretches = [upTo(0, moves['pause']!), upTo(moves['resume']!, killedAt), upTo(killedAt, Infinity)];
    const bounds = [
      [moves['start']!, moves['pause']!],
      [moves['resume']!, stretches[1]!.at(-1)!],
      [stretches[2]![0]!, moves['cancel']!],
    ] as const;
    const rates = stretches.map((stretch, n) => (stretch.length * 1_000) / (bounds[n]![1] - bounds[n]![0]));
    const overall = (times.length * 1_000) / bounds.reduce((ms, [from, to]) => ms + to - from, 0);
    const most = mostInOneSecond(times);
    console.log(
      `asked for ${RATE} items a second: ${overall.toFixed(1)} in all, ${rates.map((rate) => rate.toFixed(1)).join(', ')} by stretch, ${most} in the fullest second;`,
      `pause took ${moves['pause']! - pauseAskedAt} ms, cancel ${moves['cancel']! - cancelAskedAt} ms (answered after ${answeredAt - cancelAskedAt}), back at work ${stretches[2]![0]! - killedAt} ms after the kill`,
    );
    for (const rate of [overall, ...rates]) expect(Math.abs(rate / RATE - 1)).toBeLessThanOrEqual(DEVIATION_MAX);
    expect(most).toBeLessThanOrEqual(IN_ONE_SECOND_MAX);
    for (const [asked, move] of [[pauseAskedAt, 'pause'] as const, [cancelAskedAt, 'cancel'] as const])
      expect(moves[move]! - asked, `${move} takes effect`).toBeLessThan(ENDS_WITHIN_MS);
    expect(times.at(-1)).toBeLessThanOrEqual(cancelled.finishedAt);

    const left = COUNT - cancelled.done;
    expect(cancelled).toMatchObject({ status: 'CANCELLED', total: COUNT });
    const { redriven: done, ...missed } = cancelled.results;
    expect(missed).toEqual({ 'changed-meanwhile': half, 'not-dead': half });
    expect(left).toBeGreaterThan(0);
    const outcomes = await ask(`redrive-jobs/${id}/outcomes`);
    const { APPLIED, STALE, DEAD: failed } = outcomes.statuses;
    expect(Object.keys(outcomes.statuses).sort()).toEqual(['APPLIED', 'DEAD', 'STALE']);
    expect([APPLIED + STALE + failed, outcomes.changedLater]).toEqual([done, 0]);
    expect(done + sum(missed) + left).toBe(COUNT);
    expect(items).toHaveLength(COUNT);
    expect(items.filter((item) => !isHonest(item, taken))).toEqual([]);

    // What is left is what the next job finds; what failed once more is there again.
    const next = await ask('redrive-jobs', { action: 'redrive', filter: {}, rate: 1_000, dryRun: false });
    await until(async () => (await ask(`redrive-jobs/${next.id}`)).status === 'DONE', 60_000, 'the next job is done');
    await until(isSettled, 60_000, 'all has its outcome');
    expect(await ask(`redrive-jobs/${next.id}`)).toMatchObject({ total: left + failed, done: left + failed });
    expect((await asWho()('summary')).statuses).toMatchObject({ DEAD: forecasts['would-be-dead'] });
    const counts = await effects();
    expect([...counts.values()].filter((count) => count !== 1)).toEqual([]);
    expect(counts.size).toBe(newer.length + forecasts['would-apply'] - TAKEN_BY_OTHER / 2);
  }, 300_000);

  it('of one filter by two operators at once has no second effect, and each sees what was theirs', async () => {
    const count = 2_000;
    await startWith(Array.from({ length: count }, (_, n) => approvalXml(`B${n}`, 2, TIME)));
    const names = ['first', 'second'];
    const operators = await Promise.all(names.map(operator));
    const body = { action: 'redrive', filter: { eventType: 'sys_approval_change' }, rate: 1_000, dryRun: false };
    const made = await Promise.all(operators.map((ask) => ask('redrive-jobs', body)));
    await until(
      async () => {
        const jobs = await Promise.all(made.map(({ id }) => asWho()(`redrive-jobs/${id}`)));
        return jobs.every(({ status }) => status === 'DONE') && (await isSettled());
      },
      60_000,
      'both jobs are done',
    );
    const byEvent = new Map<number, string[]>();
    const redriven: number[] = [];
    for (const [n, { id, actor }] of made.entries()) {
      const { results, total } = await operators[n]!(`redrive-jobs/${id}`);
      const items = await itemsOf(id);
      expect([actor, items.length, sum(results)]).toEqual([`token:${names[n]}`, total, total]);
      for (const { eventId, result, resultReason, status } of items) {
        byEvent.set(eventId, [...(byEvent.get(eventId) ?? []), result!]);
        expect(status).toBe('APPLIED');
        // Whoever came second reads that somebody was first.
        if (result === 'changed-meanwhile') expect(resultReason).toMatch(/is \w+ in generation 1, not 0 as seen/);
        else expect(result).toBe('redriven');
      }
      redriven.push(items.filter(({ result }) => result === 'redriven').length);
      expect(await auditedRedrives(actor)).toBe(redriven[n]);
    }
    console.log(`of ${count}: ${redriven.join(' and ')} redriven, ${made.map(({ actor }) => actor).join(' and ')}`);
    expect(byEvent.size).toBe(count);
    for (const results of byEvent.values())
      expect(results.filter((result) => result === 'redriven')).toEqual(['redriven']);
    expect(redriven[0]! + redriven[1]!).toBe(count);
    const counts = await effects();
    expect([counts.size, Math.max(...counts.values())]).toEqual([count, 1]);
  }, 120_000);
});

/** An item's result, and what its row says now, fit each other and what the dry run told. */
function isHonest(item: Item, takenByOther: readonly Item[]): boolean {
  const { forecast, result, resultReason, status, statusGeneration: generation, doneAt } = item;
  const index = takenByOther.findIndex(({ eventId }) => eventId === item.eventId);
  if (index >= 0) {
    if (index >= TAKEN_BY_OTHER / 2)
      return result === 'not-dead' && status === 'DISCARDED' && resultReason === 'the event is DISCARDED';
    const isTold = /in generation 1, not 0 as seen/.test(resultReason ?? '');
    return result === 'changed-meanwhile' && isTold && status === 'APPLIED' && generation === 1;
  }
  if (result === null) return doneAt === null && status === 'DEAD' && generation === 0;
  const expected = { 'would-apply': 'APPLIED', 'would-be-stale': 'STALE', 'would-be-dead': 'DEAD' }[forecast ?? ''];
  return result === 'redriven' && doneAt !== null && status === expected && generation === 1;
}

async function auditedRedrives(actor: string): Promise<number> {
  let count = 0;
  for (let next: number | null | undefined = undefined; next !== null;) {
    const before: string = next === undefined ? '' : `&beforeId=${next}`;
    const page: any = await asWho()(`audit?action=redrive&actor=${actor}&limit=${PAGE}${before}`);
    count += page.items.length;
    next = page.next;
  }
  return count;
}

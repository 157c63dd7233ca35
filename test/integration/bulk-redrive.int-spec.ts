import { afterEach, expect, it } from 'vitest';
import { AdminRig } from '../support/admin-rig.js';
import type { GatewayProcess } from '../support/gateway-process.js';
import { approvalXml, groupXml } from '../support/texts.js';
import { until } from '../support/until.js';

const TIME = 1_796_000_400;
const COUNT = 10_000;
const OTHERS = 2_000;
/** Items a second. Low enough for a busy machine, so that what is measured is the pace and not the machine. */
const RATE = 150;
const DEVIATION_MAX = 0.1;
const CANCEL_LIMIT_MS = 1_000;
const PAGE = 200;
const DEAD = { status: 'DEAD' as const, errorCode: 'E', errorMessage: 'no' };

let rig: AdminRig | null = null;
let service: GatewayProcess | null = null;

afterEach(async () => {
  await service?.kill();
  await rig?.stop();
  [service, rig] = [null, null];
});

const ask = async (path: string, body?: unknown): Promise<any> => {
  const { status, json } = await service!.admin(path, body);
  expect(status, JSON.stringify(json)).toBe(200);
  return json;
};
const make = (eventType: string): Promise<{ id: number }> =>
  ask('redrive-jobs', { action: 'redrive', filter: { eventType }, rate: RATE, dryRun: false, reason: 'mended' });

/** When each item got its result, in that order. */
async function timesOf(jobId: number): Promise<number[]> {
  const times: number[] = [];
  for (let from: number | null = 0; from !== null;) {
    const page: any = await ask(`redrive-jobs/${jobId}/items?fromPlace=${from}&limit=${PAGE}`);
    for (const { doneAt } of page.items) if (doneAt !== null) times.push(doneAt);
    from = page.next;
  }
  return times.sort((a, b) => a - b);
}

/** Over a stretch without a pause: the mean between its first item and its last. */
function rateOf(times: readonly number[]): number {
  return ((times.length - 1) * 1_000) / (times.at(-1)! - times[0]!);
}

it('a bulk redrive keeps its rate, pauses, outlives a kill half-way, cancels within a second, and its counts add up', async () => {
  rig = await AdminRig.start();
  await rig.put(
    Array.from({ length: COUNT }, (_, n) => approvalXml(`B${n}`, 2, TIME)),
    DEAD,
  );
  await rig.put(
    Array.from({ length: OTHERS }, (_, n) => groupXml('create', `G${n}`, TIME)),
    DEAD,
  );
  service = await rig.startProcess();
  const { id } = await make('sys_approval_change');
  const job = (): Promise<any> => ask(`redrive-jobs/${id}`);
  const reaches = (done: number): Promise<void> =>
    until(async () => (await job()).done >= done, 120_000, `${done} items are done`);

  await reaches(2_500);
  await ask(`redrive-jobs/${id}/pause`, {});
  const paused = await job();
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  expect(await job()).toMatchObject({ status: 'PAUSED', done: paused.done, total: COUNT });
  const beforePause = await timesOf(id);
  await ask(`redrive-jobs/${id}/resume`, {});
  await reaches(COUNT / 2);
  await service.kill();
  service = await rig.startProcess();
  const taken = await job();
  expect(taken.done).toBeGreaterThanOrEqual(COUNT / 2);
  expect(taken.done).toBeLessThan(COUNT);
  await until(async () => (await job()).status === 'DONE', 180_000, 'the job is done');

  const all = await timesOf(id);
  expect(all).toHaveLength(COUNT);
  // What came after the restart, without its first half second, in which the pace is found.
  const afterKill = all.slice(taken.done + RATE / 2);
  const rates = [beforePause.slice(RATE / 2), afterKill].map(rateOf);
  console.log(`asked for ${RATE} items a second: ${rates.map((rate) => rate.toFixed(1)).join(' and ')}`);
  for (const rate of rates) expect(Math.abs(rate / RATE - 1)).toBeLessThanOrEqual(DEVIATION_MAX);
  expect((await job()).results).toEqual({ redriven: COUNT });

  const other = await make('change_external_chat');
  const done = async (): Promise<number> => (await ask(`redrive-jobs/${other.id}`)).done;
  await until(async () => (await done()) > RATE, 60_000, 'the second job is under way');
  const askedAt = Date.now();
  await ask(`redrive-jobs/${other.id}/cancel`, {});
  const cancelled = await ask(`redrive-jobs/${other.id}`);
  expect(cancelled.status).toBe('CANCELLED');
  await new Promise((resolve) => setTimeout(resolve, CANCEL_LIMIT_MS));
  expect((await timesOf(other.id)).at(-1)! - askedAt).toBeLessThan(CANCEL_LIMIT_MS);
  const redriven = await done();
  expect(redriven).toBeLessThan(OTHERS);

  await until(isSettled, 60_000, 'every redriven event has its outcome');
  const { statuses } = await ask('summary');
  expect(statuses).toMatchObject({ APPLIED: COUNT + redriven, DEAD: OTHERS - redriven });
  await service.stop();
  await rig.takeBack();
  const [twice] = await rig.query<{ total: number }>(
    'SELECT COUNT(*) AS total FROM (SELECT 1 FROM entity_change GROUP BY event_key HAVING COUNT(*) > 1) AS twice',
  );
  const [effects] = await rig.query<{ total: number }>('SELECT COUNT(*) AS total FROM entity_change');
  expect([twice?.total, effects?.total]).toEqual([0, COUNT + redriven]);
}, 400_000);

/** No redriven row waits for its run. */
async function isSettled(): Promise<boolean> {
  const { statuses } = await ask('summary');
  return ['RETRY', 'PARKED', 'REDRIVEN'].every((status) => Number(statuses[status] ?? 0) === 0);
}

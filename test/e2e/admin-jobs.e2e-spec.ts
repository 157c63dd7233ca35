import { afterEach, describe, expect, it } from 'vitest';
import type { WecomHandler } from '../../src/handlers/wecom-handler.js';
import { WecomEventHandler } from '../../src/handlers/wecom-event-handler.decorator.js';
import { AdminRig } from '../support/admin-rig.js';
import { approvalXml, groupXml } from '../support/texts.js';
import { until } from '../support/until.js';

const TIME = 1_796_000_400;
const DEAD = { status: 'DEAD' as const, errorCode: 'E', errorMessage: 'no' };

function pingXml(id: number | string): string {
  return `<xml><ToUserName>wwtest</ToUserName><CreateTime>${TIME}</CreateTime><MsgType>event</MsgType><Event>ping</Event><TaskId>${id}</TaskId></xml>`;
}

/** Counts the effects of each event. */
@WecomEventHandler({ event: 'ping' })
class PingHandler implements WecomHandler {
  static readonly runs = new Map<string, number>();

  async handle(_event: unknown, { eventKey }: { eventKey: string }): Promise<void> {
    PingHandler.runs.set(eventKey, (PingHandler.runs.get(eventKey) ?? 0) + 1);
  }
}

let rig: AdminRig;

afterEach(async () => {
  PingHandler.runs.clear();
  await rig.stop();
});

const open = async (): Promise<void> => {
  rig = await AdminRig.start({}, { handlers: [PingHandler] });
};
const pings = (count: number): string[] => Array.from({ length: count }, (_, n) => pingXml(n));
const job = async (id: number): Promise<any> => (await rig.get(`redrive-jobs/${id}`)).json;
const reaches = (id: number, status: string, limitMs = 60_000): Promise<void> =>
  until(async () => (await job(id)).status === status, limitMs, `job ${id} is ${status}`);
const make = async (body: object): Promise<any> => {
  const { status, json } = await rig.post('redrive-jobs', { action: 'redrive', filter: {}, ...body });
  expect(status).toBe(200);
  return json;
};

describe('a redrive job', () => {
  it('tells first what would become of each item, changes nothing, and is then run by a person', async () => {
    await open();
    await rig.put([approvalXml('A1', 2, TIME), approvalXml('A1', 1, TIME - 5), 'not XML at all', pingXml(1)], DEAD);
    const { id } = await make({ reason: 'the contract was mended' });
    await reaches(id, 'DRAFT');
    expect((await job(id)).forecasts).toEqual({ 'would-apply': 2, 'would-be-stale': 1, 'would-be-dead': 1 });
    const { json: before } = await rig.get(`redrive-jobs/${id}/items`);
    expect(before.items.map(({ place, forecast, status }: any) => [place, forecast, status])).toEqual([
      [0, 'would-apply', 'DEAD'],
      [1, 'would-be-stale', 'DEAD'],
      [2, 'would-be-dead', 'DEAD'],
      [3, 'would-apply', 'DEAD'],
    ]);
    expect(before.items[1].forecastReason).toContain('older');
    await rig.post(`redrive-jobs/${id}/start`);
    await reaches(id, 'DONE');
    await until(() => rig.gateway.isSettled());
    const { json: after } = await rig.get(`redrive-jobs/${id}/items`);
    expect(after.items.map(({ result, status }: any) => [result, status])).toEqual([
      ['redriven', 'APPLIED'],
      ['redriven', 'STALE'],
      ['redriven', 'DEAD'],
      ['redriven', 'APPLIED'],
    ]);
    const { json: outcomes } = await rig.get(`redrive-jobs/${id}/outcomes`);
    expect(outcomes).toEqual({ statuses: { APPLIED: 2, STALE: 1, DEAD: 1 }, changedLater: 0 });
    const { json: history } = await rig.get(`events/${after.items[0].eventId}/history`);
    expect(history.items[0]).toMatchObject({
      ...{ actor: 'admin', decision: 'REDRIVEN' },
      reason: `redriven by an operator in job ${id}: the contract was mended`,
    });
    const { json: audit } = await rig.get(`audit?target=redrive-job:${id}`);
    expect(audit.items.map(({ action }: any) => action)).toEqual(['redrive-job.start', 'redrive-job.create']);
    const { json: ofEvent } = await rig.get(`audit?target=event:${after.items[0].eventId}`);
    expect(ofEvent.items[0]).toMatchObject({ actor: 'admin', action: 'redrive', detail: { jobId: id } });
  });

  it('takes up where it was when the process starts anew, and runs each item once', async () => {
    await open();
    await rig.put(pings(3_000), DEAD);
    const { id } = await make({ dryRun: false, rate: 1_000 });
    await until(async () => (await job(id)).done > 800);
    await rig.restart();
    const { done, status } = await job(id);
    expect(status).toBe('RUNNING');
    expect(done).toBeGreaterThan(800);
    expect(done).toBeLessThan(2_900);
    await reaches(id, 'DONE');
    await until(() => rig.gateway.isSettled(), 60_000);
    expect((await job(id)).results).toEqual({ redriven: 3_000 });
    expect(PingHandler.runs.size).toBe(3_000);
    expect([...PingHandler.runs.values()].filter((runs) => runs !== 1)).toEqual([]);
    const rows = await rig.query<{ generation: number; total: number }>(
      'SELECT generation, COUNT(*) AS total FROM event_log GROUP BY generation',
    );
    expect(rows).toEqual([{ generation: 1, total: 3_000 }]);
  });

  it('of two operators at once makes one effect an event, and each sees what was theirs', async () => {
    await open();
    await rig.put(pings(600), DEAD);
    const jobs = await Promise.all([make({}), make({})]);
    for (const { id } of jobs) await reaches(id, 'DRAFT');
    await Promise.all(jobs.map(({ id }) => rig.post(`redrive-jobs/${id}/start`)));
    for (const { id } of jobs) await reaches(id, 'DONE');
    await until(() => rig.gateway.isSettled());
    const results = await Promise.all(jobs.map(async ({ id }) => (await job(id)).results));
    const redriven = results.map((counts) => counts.redriven ?? 0);
    const missed = results.map((counts) => (counts['changed-meanwhile'] ?? 0) + (counts['not-dead'] ?? 0));
    expect(redriven[0] + redriven[1]).toBe(600);
    expect(missed[0] + missed[1]).toBe(600);
    expect([...PingHandler.runs.values()].filter((runs) => runs !== 1)).toEqual([]);
    expect(PingHandler.runs.size).toBe(600);
  });

  it('stands still while it is paused, and goes on from there', async () => {
    await open();
    await rig.put(pings(2_000), DEAD);
    const { id } = await make({ dryRun: false, rate: 40 });
    await until(async () => (await job(id)).done > 20);
    await rig.post(`redrive-jobs/${id}/pause`);
    const { done } = await job(id);
    expect(done).toBeLessThan(2_000);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect(await job(id)).toMatchObject({ status: 'PAUSED', done });
    expect((await rig.post(`redrive-jobs/${id}/pause`)).status).toBe(409);
    await rig.post(`redrive-jobs/${id}/resume`);
    await until(async () => (await job(id)).done > done);
    await rig.post(`redrive-jobs/${id}/cancel`);
    expect(Object.keys((await job(id)).results)).toEqual(['redriven']);
  });

  it('touches nothing after it was cancelled; what it did stays done', async () => {
    await open();
    await rig.put(pings(900), DEAD);
    const { id } = await make({ dryRun: false, rate: 40 });
    await until(async () => (await job(id)).done > 20);
    await rig.post(`redrive-jobs/${id}/cancel`);
    const { done, status } = await job(id);
    const dead = async (): Promise<number> =>
      (await rig.query<{ total: number }>("SELECT COUNT(*) AS total FROM event_log WHERE status = 'DEAD'"))[0]!.total;
    expect([status, await dead()]).toEqual(['CANCELLED', 900 - done]);
    await new Promise((resolve) => setTimeout(resolve, 700));
    expect([(await job(id)).done, await dead()]).toEqual([done, 900 - done]);
    expect((await rig.post(`redrive-jobs/${id}/resume`)).status).toBe(409);
    expect(
      (await rig.get(`redrive-jobs/${id}/items?limit=1000`)).json.items.filter((i: any) => i.result === null),
    ).toHaveLength(900 - done);
  });

  it('keeps its rate', async () => {
    await open();
    await rig.put(pings(400), DEAD);
    const began = performance.now();
    const { id } = await make({ dryRun: false, rate: 100 });
    await reaches(id, 'DONE');
    const { startedAt, finishedAt } = await job(id);
    expect(finishedAt - startedAt).toBeGreaterThan(3_400);
    expect(performance.now() - began).toBeGreaterThan(3_400);
  });

  it('leaves alone what died after it was made', async () => {
    await open();
    await rig.put(pings(5), DEAD);
    await rig.put([pingXml('later')], { ...DEAD, decidedAt: 9_000_000_000_000 });
    const { id } = await make({});
    await reaches(id, 'DRAFT');
    expect((await job(id)).total).toBe(5);
  });

  it('tells a line of a strict entity in its order, and runs it so', async () => {
    await open();
    const line = ['create', 'update', 'dismiss'];
    for (const [index, change] of line.entries())
      await rig.put([groupXml(change, 'wr1', TIME + index)], { ...DEAD, laneSeq: index + 1 });
    const { id } = await make({});
    await reaches(id, 'DRAFT');
    expect((await job(id)).forecasts).toEqual({ 'would-apply': 3 });
    const { json: found } = await rig.get('events?chatId=wr1');
    const last = found.items[0];
    const { id: alone } = await make({ filter: undefined, items: [{ id: last.id, generation: 0 }] });
    await reaches(alone, 'DRAFT');
    expect((await job(alone)).forecasts).toEqual({ 'would-wait': 1 });
    await rig.post(`redrive-jobs/${id}/start`);
    await reaches(id, 'DONE');
    await until(() => rig.gateway.isSettled());
    expect((await rig.get('entities/changes')).json.items.map(({ toState }: any) => toState)).toHaveLength(3);
  });

  it('discards by filter, for good', async () => {
    await open();
    await rig.put(pings(30), DEAD);
    await rig.put([pingXml('other')], { ...DEAD, errorMessage: 'another cause' });
    const { json: groups } = await rig.get('dead-letters/groups');
    expect(groups.items.map(({ count }: any) => count)).toEqual([30, 1]);
    const { id } = await make({
      action: 'discard',
      filter: { errorGroup: groups.items[0].group },
      dryRun: false,
      rate: 500,
    });
    await reaches(id, 'DONE');
    expect((await rig.get('summary')).json.statuses).toMatchObject({ DEAD: 1 });
    expect((await job(id)).results).toEqual({ discarded: 30 });
  });

  it.each([
    [{}, 'give either filter or items, and not both'],
    [{ filter: { status: ['APPLIED'] } }, 'filter.status: redrive cannot change APPLIED'],
    [{ filter: { sttus: 'DEAD' } }, 'property filter.sttus should not exist'],
    [{ filter: {}, rate: 0 }, 'rate must not be less than 1'],
    [{ items: [{ id: 1 }] }, 'items.0.generation must not be less than 0'],
  ])('refuses %j and says why', async (body, message) => {
    await open();
    const { status, json } = await rig.post('redrive-jobs', { action: 'redrive', ...body });
    expect([status, json.message]).toEqual([400, [message]]);
  });
});

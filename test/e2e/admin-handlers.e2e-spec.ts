import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { WecomEventHandler } from '../../src/handlers/wecom-event-handler.decorator.js';
import type { WecomHandler } from '../../src/handlers/wecom-handler.js';
import { AdminRig } from '../support/admin-rig.js';
import { approvalXml } from '../support/texts.js';
import { until } from '../support/until.js';

const TIME = 1_796_000_400;

function pingXml(id: number): string {
  return `<xml><ToUserName>wwtest</ToUserName><CreateTime>${TIME}</CreateTime><MsgType>event</MsgType><Event>ping</Event><TaskId>${id}</TaskId></xml>`;
}

@WecomEventHandler({ event: 'ping' })
class PingHandler implements WecomHandler {
  static runs = 0;

  async handle(): Promise<void> {
    PingHandler.runs += 1;
  }
}

let rig: AdminRig;

beforeEach(async () => {
  PingHandler.runs = 0;
  rig = await AdminRig.start({}, { handlers: [PingHandler] });
});
afterEach(() => rig.stop());

const statusOf = async (id: number): Promise<any> => (await rig.get(`events/${id}`)).json;
const redrive = async (): Promise<number> => {
  const { json } = await rig.get('dead-letters');
  const [{ id, generation }] = json.items;
  await rig.post('dead-letters/redrive', { items: [{ id, generation }] });
  return id;
};

describe('a handler', () => {
  it('is paused and resumed by an operator: what is redriven meanwhile waits, and then runs once', async () => {
    await rig.put([pingXml(1)], { status: 'DEAD', attempt: 4, errorCode: 'E', errorMessage: 'no' });
    const { status, json } = await rig.post('handlers/PingHandler/pause', { reason: 'it pays twice' });
    expect(status).toBe(200);
    expect(json.paused).toMatchObject([
      { handler: 'PingHandler', actor: 'admin', reason: 'it pays twice', waiting: 0 },
    ]);
    const id = await redrive();
    await until(async () => (await rig.get('handlers')).json.paused[0].waiting === 1);
    expect(await statusOf(id)).toMatchObject({ status: 'RETRY', attempt: 0, errorCode: 'HANDLER_PAUSED' });
    expect((await rig.post('handlers/PingHandler/resume', { reason: 'mended' })).json.paused).toEqual([]);
    await until(async () => (await statusOf(id)).status === 'APPLIED');
    expect(PingHandler.runs).toBe(1);
    const { json: audit } = await rig.get('audit?target=handler:PingHandler');
    expect(audit.items.map(({ action, detail }: any) => [action, detail.reason])).toEqual([
      ['handler.resume', 'mended'],
      ['handler.pause', 'it pays twice'],
    ]);
  });

  it('stays paused over a restart', async () => {
    await rig.put([pingXml(1)], { status: 'DEAD', attempt: 4 });
    await rig.post('handlers/PingHandler/pause');
    await rig.restart();
    const id = await redrive();
    await until(async () => (await statusOf(id)).errorCode === 'HANDLER_PAUSED');
    expect(PingHandler.runs).toBe(0);
  });

  it('is paused and resumed once, however often that is asked', async () => {
    const all = (move: string): Promise<unknown> =>
      Promise.all([1, 2, 3].map(() => rig.post(`handlers/PingHandler/${move}`)));
    await all('pause');
    await all('resume');
    expect((await rig.get('audit?target=handler:PingHandler')).json.items).toHaveLength(2);
  });

  it('is named as the list names it', async () => {
    for (const move of ['pause', 'resume']) {
      const { status, json } = await rig.post(`handlers/Ping/${move}`);
      expect([status, json.message]).toEqual([404, 'no handler is named Ping']);
    }
    expect((await rig.post('handlers/PingHandler/pause', { why: 'x' })).status).toBe(400);
  });

  it('that was renamed while it was paused is still shown, and can be resumed', async () => {
    await rig.post('handlers/PingHandler/pause');
    await rig.write("UPDATE handler_pause SET handler = 'OldName'");
    expect((await rig.get('handlers')).json.paused).toMatchObject([{ handler: 'OldName' }]);
    expect((await rig.post('handlers/OldName/resume')).json.paused).toEqual([]);
    expect((await rig.post('handlers/OldName/resume')).status).toBe(404);
  });

  it('is taken into account by a dry run', async () => {
    await rig.put([pingXml(1), approvalXml('A1', 2, TIME)], { status: 'DEAD' });
    await rig.post('handlers/PingHandler/pause');
    const { json: job } = await rig.post('redrive-jobs', { action: 'redrive', filter: {} });
    await until(async () => (await rig.get(`redrive-jobs/${job.id}`)).json.status === 'DRAFT');
    const { json } = await rig.get(`redrive-jobs/${job.id}/items`);
    expect(json.items.map(({ forecast, forecastReason }: any) => [forecast, forecastReason])).toEqual([
      ['would-wait', 'the handler PingHandler is paused'],
      ['would-apply', expect.stringContaining('ApprovalHandler')],
    ]);
  });
});

describe('the metric of a pause', () => {
  const series = async (): Promise<string[]> => {
    const answer = await fetch(`${rig.gateway.adminBase}/metrics`, { headers: { connection: 'close' } });
    return (await answer.text()).split('\n').filter((line) => line.startsWith('wecom_handler_paused_seconds'));
  };

  it('is how long the handler has been paused', async () => {
    await rig.post('handlers/PingHandler/pause');
    await rig.write('UPDATE handler_pause SET paused_at = paused_at - 7200000');
    const [line, ...others] = await series();
    const [, seconds] = /^wecom_handler_paused_seconds\{handler="PingHandler"\} ([\d.]+)$/.exec(line ?? '') ?? [];
    expect([Math.floor(Number(seconds) / 100), others]).toEqual([72, []]);
  });

  it('has no series while none is paused', async () => {
    expect(await series()).toEqual([]);
  });
});

describe('the figures of handlers', () => {
  it('tell by event how events fared, with runs and failed runs', async () => {
    const receivedAt = Date.now();
    await rig.put([pingXml(1), pingXml(2)], { status: 'APPLIED', attempt: 2 });
    await rig.put([pingXml(3)], { status: 'DEAD', attempt: 4 });
    await rig.put([approvalXml('A1', 1, TIME)], { status: 'STALE', attempt: 0 });
    await rig.put([pingXml(4)], { status: 'APPLIED', attempt: 1 });
    await rig.write('UPDATE event_log SET received_at = ?', [receivedAt]);
    // An hour is over for the last one.
    await rig.write('UPDATE event_log SET received_at = ? WHERE attempt = 1', [receivedAt - 3_700_000]);
    const { json } = await rig.get('handlers');
    const of = (event: string): any => json.items.find((item: any) => item.event === event);
    expect(of('ping')).toMatchObject({ statuses: { APPLIED: 2, DEAD: 1 }, runs: 8, failedRuns: 6 });
    expect(of('sys_approval_change')).toMatchObject({ statuses: { STALE: 1 }, runs: 0, failedRuns: 0 });
    expect(json.since).toBeGreaterThan(receivedAt - 3_600_001);
  });
});

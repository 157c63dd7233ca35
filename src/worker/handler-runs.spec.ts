import { afterEach, describe, expect, it } from 'vitest';
import { thingXml, WorkerRig, type RigOptions } from '../../test/support/worker-rig.js';
import type { RecordedDelivery } from '../../test/support/recorded-delivery.js';
import { Metrics } from '../observability/metrics.js';
import { WorkerMetrics } from './worker-metrics.js';

const NAMES = { latest_thing: 'Latest', strict_thing: 'Strict' };
let rig: WorkerRig;
afterEach(() => rig.close());

const open = async (options: RigOptions): Promise<WorkerRig> =>
  (rig = await WorkerRig.open({ names: NAMES, ...options }));
const latest = (...ids: string[]): RecordedDelivery[] =>
  ids.map((id, at) => rig.delivery(thingXml('latest_thing', id, at + 1)));

/** The counter's series: `handler result` and the value. */
async function runs(metrics: Metrics = rig.metrics): Promise<Record<string, number>> {
  const { values } = (await metrics.registry.getSingleMetric('wecom_handler_runs_total')?.get()) ?? { values: [] };
  return Object.fromEntries(values.map(({ labels, value }) => [`${labels['handler']} ${labels['result']}`, value]));
}

const isBad = (key: string | undefined): boolean => key?.endsWith('/bad') === true;
const failBad: NonNullable<RigOptions['handlers']>[string] = async ({ move }) => {
  if (isBad(move?.entityKey)) throw new Error('bad');
};

describe('the runs of a handler', () => {
  it('are counted by handler and by how they ended, an event once however its batch was parted', async () => {
    await open({ handlers: { latest_thing: failBad } });
    await rig.consume(...latest('a', 'b', 'bad', 'd'), rig.delivery(thingXml('strict_thing', 'a', 1)));
    expect(await runs()).toEqual({ 'Latest ok': 3, 'Latest failed': 1, 'Strict ok': 1, 'Strict failed': 0 });
  });

  it('count each event of a call of handleMany, and one that fails once', async () => {
    const many: NonNullable<RigOptions['many']>[string] = async (calls) => {
      if (calls.some(({ context }) => isBad(context.move?.entityKey))) throw new Error('one of them');
    };
    await open({ handlers: { latest_thing: failBad }, many: { latest_thing: many } });
    await rig.consume(...latest('a', 'b', 'c', 'bad', 'e', 'f', 'g', 'h'));
    expect(await runs()).toEqual({ 'Latest ok': 7, 'Latest failed': 1 });
  });

  it('count again when a row is run again', async () => {
    await open({ handlers: { latest_thing: failBad } });
    await rig.consume(...latest('bad'));
    await rig.retryFor(15_000);
    expect(await runs()).toEqual({ 'Latest ok': 0, 'Latest failed': 3 });
  });

  it('do not count what was not applied, nor what waits for its handler', async () => {
    await open({});
    const [older, newer] = [1, 2].map((second) => rig.delivery(thingXml('latest_thing', 'a', second)));
    await rig.pauses.pause('Strict', 'a test', { actor: 'kim', address: '' });
    await rig.consume(newer!, older!, rig.delivery(thingXml('strict_thing', 'a', 1)));
    expect(await rig.statuses(older!)).toEqual(['STALE']);
    expect(await runs()).toEqual({ 'Latest ok': 1, 'Latest failed': 0 });
  });

  it('do not count a run that the database ended', async () => {
    let isAway = true;
    const once: NonNullable<RigOptions['handlers']>[string] = async () => {
      const busy = Object.assign(new Error('disk I/O error'), { code: 'ERR_SQLITE_ERROR', errcode: 10 });
      if (isAway) throw ((isAway = false), busy);
    };
    await open({ handlers: { latest_thing: once } });
    await rig.consume(...latest('a'));
    expect(await runs()).toEqual({ 'Latest ok': 1, 'Latest failed': 0 });
  });

  it('do not count a run that was aborted', async () => {
    let isFirst = true;
    const slowOnce: NonNullable<RigOptions['handlers']>[string] = async ({ signal }) => {
      if (isFirst) await ((isFirst = false), rig.clock.sleep(60_000, signal));
    };
    await open({ handlers: { latest_thing: slowOnce } });
    rig.guard.loseAt('renew');
    const [event] = latest('a');
    await rig.consume(event!);
    expect(rig.guard.callsFor(event!.guardKey).filter((call) => call === 'start')).toHaveLength(2);
    expect(await runs()).toEqual({ 'Latest ok': 1, 'Latest failed': 0 });
  });

  it('have a limited number of series', async () => {
    await open({});
    const [metrics, all] = [new Metrics(), Array.from({ length: 250 }, (_, index) => `H${index}`)];
    const counted = new WorkerMetrics(metrics);
    for (const name of [...all, ...all]) counted.ran(name, 'ok', 1);
    const found = await runs(metrics);
    expect([Object.keys(found).length, found['H0 ok'], found['other ok']]).toEqual([402, 2, 100]);
  });
});

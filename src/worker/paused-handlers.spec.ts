import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { RecordedDelivery } from '../../test/support/recorded-delivery.js';
import { note } from '../../test/support/plain-handlers.js';
import { thingXml, WorkerRig } from '../../test/support/worker-rig.js';
import { pausedLookAfterMs } from './retry-policy.js';

const BY = { actor: 'kim', address: '' };
const SOON_MS = pausedLookAfterMs(0);
let rig: WorkerRig;
let isBroken: boolean;

beforeEach(async () => {
  isBroken = false;
  rig = await WorkerRig.open({
    names: { strict_thing: 'Strict', latest_thing: 'Latest' },
    handlers: {
      strict_thing: async (context) => {
        await note(context, `run ${context.attempt}`);
        if (isBroken) throw new Error('broken');
      },
    },
  });
});
afterEach(() => rig.close());

const strict = (rank: number, id = 'a'): RecordedDelivery => rig.delivery(thingXml('strict_thing', id, rank));
const pause = (handler = 'Strict'): Promise<void> => rig.pauses.pause(handler, 'it sends twice', BY);
const resume = (handler = 'Strict'): Promise<void> => rig.drive(rig.pauses.resume(handler, 'mended', BY));
const historyOf = async (delivery: RecordedDelivery): Promise<string[]> => {
  const entries = await rig.writes.read((tx) => rig.eventLog.history(tx, delivery.eventKey));
  return entries.map(({ decision, attempt, reason }) => `${decision} ${attempt}: ${reason}`);
};
const WAITS = 'waits, at no cost of an attempt: the handler Strict is paused';

describe('an event of a paused handler', () => {
  it('waits in a row, with no run, no move and no attempt; those of other handlers go on', async () => {
    await pause();
    const [paused, other] = [strict(1), rig.delivery(thingXml('latest_thing', 'a', 1))];
    await rig.consume(paused, other);
    expect(await rig.statuses(paused, other)).toEqual(['RETRY', 'APPLIED']);
    expect(await rig.row(paused)).toMatchObject({
      ...{ attempt: 0, errorCode: 'HANDLER_PAUSED', errorMessage: 'the handler Strict is paused' },
      dueAt: rig.clock.now() + SOON_MS,
    });
    expect(await rig.notes()).toEqual(['applied']);
    expect(await rig.entity('a')).toMatchObject({ version: 1 });
    expect(paused.isSettled).toBe(true);
    expect(await historyOf(paused)).toEqual([`RETRY 0: ${WAITS}`]);
  });

  it('holds up the line of a strict entity, which runs in order when the handler is resumed', async () => {
    await pause();
    const line = [strict(1), strict(2), strict(3)];
    await rig.consume(...line);
    expect(await rig.statuses(...line)).toEqual(['RETRY', 'PARKED', 'PARKED']);
    await rig.retryFor(3 * SOON_MS);
    expect(await rig.notes()).toEqual([]);
    await resume();
    await rig.retryPass();
    expect(await rig.statuses(...line)).toEqual(['APPLIED', 'APPLIED', 'APPLIED']);
    expect(await rig.notes()).toEqual(['run 1', 'run 1', 'run 1']);
  });

  it('is told once that it waits, however often it looks, and looks less and less often', async () => {
    await pause();
    const event = strict(1);
    await rig.consume(event);
    const looks: number[] = [];
    for (let at = rig.clock.now(), dueAt = 0; rig.clock.now() < at + 1_800_000;) {
      await rig.retryPass();
      const now = (await rig.row(event))?.dueAt ?? 0;
      if (now !== dueAt) looks.push(now - rig.clock.now());
      dueAt = now;
      await rig.clock.advance(1_000);
    }
    expect(looks.slice(0, 5).map((ms) => Math.round(ms / 1_000))).toEqual([5, 5, 10, 20, 40]);
    expect(Math.max(...looks)).toBe(pausedLookAfterMs(Infinity));
    expect(await historyOf(event)).toEqual([`RETRY 0: ${WAITS}`]);
    expect(await rig.row(event)).toMatchObject({ status: 'RETRY', attempt: 0 });
  });

  it('keeps the attempts that it has used when the pause comes between two of them', async () => {
    isBroken = true;
    const event = strict(1);
    await rig.consume(event);
    expect(await rig.row(event)).toMatchObject({ status: 'RETRY', attempt: 1 });
    await pause();
    isBroken = false;
    await rig.retryFor(5_000);
    expect(await rig.row(event)).toMatchObject({ status: 'RETRY', attempt: 1, errorCode: 'HANDLER_PAUSED' });
    await resume();
    await rig.retryPass();
    expect(await rig.row(event)).toMatchObject({ status: 'APPLIED', attempt: 2 });
    expect(await rig.notes()).toEqual(['run 2']);
  });

  it('is a dead letter that was redriven: it waits as well, and has all its attempts afterwards', async () => {
    const event = strict(1);
    const { id } = await rig.put(event, { status: 'DEAD', attempt: 4, laneSeq: 1 });
    await pause();
    await rig.operator.run('redrive', [{ id, generation: 0 }], { actor: 'kim', reason: '' });
    await rig.retryPass();
    expect(await rig.row(event)).toMatchObject({ status: 'RETRY', generation: 1, attempt: 0 });
    await resume();
    await rig.retryPass();
    expect(await rig.row(event)).toMatchObject({ status: 'APPLIED', generation: 1, attempt: 1 });
  });

  it('comes again while it waits: nothing is doubled', async () => {
    await pause();
    const event = strict(1);
    await rig.consume(event);
    const again = rig.again(event);
    await rig.consume(again);
    expect(again.isSettled).toBe(true);
    await resume();
    await rig.retryFor(SOON_MS);
    expect(await rig.notes()).toEqual(['run 1']);
  });

  it('can be discarded, which lets those behind it look', async () => {
    await pause();
    const [first, second] = [strict(1), strict(2)];
    await rig.consume(first, second);
    const row = await rig.row(first);
    const [result] = await rig.operator.run('discard', [{ id: row?.id ?? 0, generation: 0 }], {
      actor: 'kim',
      reason: '',
    });
    expect(result?.result).toBe('discarded');
    await rig.retryPass();
    expect(await rig.statuses(first, second)).toEqual(['DISCARDED', 'RETRY']);
    expect(await rig.row(second)).toMatchObject({ attempt: 0, errorCode: 'HANDLER_PAUSED' });
  });
});

describe('a handler that is resumed', () => {
  it('leaves asleep what waits for another one', async () => {
    await pause();
    await pause('Latest');
    const [one, other] = [strict(1), rig.delivery(thingXml('latest_thing', 'a', 1))];
    await rig.consume(one, other);
    await resume();
    await rig.retryPass();
    expect(await rig.statuses(one, other)).toEqual(['APPLIED', 'RETRY']);
    expect(await rig.row(other)).toMatchObject({ dueAt: rig.clock.now() + SOON_MS });
  });

  it('wakes an event that is being looked at, whoever comes first', async () => {
    await pause();
    const event = strict(1);
    await rig.consume(event);
    await rig.clock.advance(200_000);
    // The look has read that the handler is paused; it is resumed before the look puts the event off.
    rig.writes.beforeNextWrite(() => Promise.resolve());
    rig.writes.beforeNextWrite(() => rig.pauses.resume('Strict', '', BY));
    await rig.retryPass();
    expect(await rig.notes()).toEqual(['run 1']);
  });

  it('is looked for soon by what a run wrote while it was being resumed', async () => {
    await pause();
    const event = strict(1);
    await rig.consume(event);
    // As if nobody had woken it.
    await rig.writes.write((tx) => tx.manager.query('DELETE FROM handler_pause'));
    await rig.retryFor(SOON_MS + rig.options.retryPollMs);
    expect(await rig.statuses(event)).toEqual(['APPLIED']);
  });

  it('wakes more than fit into one transaction', async () => {
    await pause();
    const events = Array.from({ length: 1_100 }, (_, index) => strict(1, `e${index}`));
    for (let at = 0; at < events.length; at += 100) await rig.consume(...events.slice(at, at + 100));
    await rig.clock.advance(SOON_MS - 1_000);
    await resume();
    const [due] = await rig.database.query<{ total: number }>(
      'SELECT COUNT(*) AS total FROM event_log WHERE due_at <= ?',
      [rig.clock.now()],
    );
    expect(due?.total).toBe(events.length);
  });
});

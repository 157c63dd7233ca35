import { afterEach, describe, expect, it } from 'vitest';
import { textAt } from '../entity-types/fields.js';
import type { RecordedDelivery } from '../../test/support/recorded-delivery.js';
import { note, type PlainHandle } from '../../test/support/plain-handlers.js';
import { thingXml, WorkerRig, type RigOptions } from '../../test/support/worker-rig.js';

let rig: WorkerRig;
afterEach(() => rig.close());

async function open(options: RigOptions = {}): Promise<WorkerRig> {
  return (rig = await WorkerRig.open(options));
}

const strict = (createTime: number, what = ''): RecordedDelivery =>
  rig.delivery(thingXml('strict_thing', 'a', createTime, { what }));

/** A dead first event with two parked ones behind it. */
async function deadLine(): Promise<RecordedDelivery[]> {
  const line = [strict(1, 'first'), strict(2, 'second'), strict(3, 'third')];
  await rig.put(line[0]!, { status: 'DEAD', attempt: 4, laneSeq: 1 });
  await rig.consume(...line.slice(1));
  expect(await rig.statuses(...line)).toEqual(['DEAD', 'PARKED', 'PARKED']);
  return line;
}

const noteWhat: PlainHandle = async (context, { fields }) => void (await note(context, textAt(fields, 'What') ?? ''));

describe('which rows run', () => {
  it.each(['RETRY', 'PARKED', 'REDRIVEN'] as const)(
    '%s runs once it is due, and its outcome replaces it',
    async (status) => {
      await open();
      const delivery = strict(1);
      await rig.put(delivery, { status, attempt: 1, laneSeq: 1, dueAt: rig.clock.now() + 5_000 });
      await rig.retryFor(4_600);
      expect(await rig.statuses(delivery)).toEqual([status]);
      await rig.retryFor(600);
      expect(await rig.row(delivery)).toMatchObject({ status: 'APPLIED', attempt: 2, dueAt: null });
      expect(await rig.notes()).toEqual(['applied']);
      expect(rig.guard.callsFor(delivery.guardKey)).toEqual(['acquire', 'start', 'complete', 'release']);
    },
  );

  it('DEAD never runs, whatever its due time', async () => {
    await open();
    const [alone, ofLatest] = [strict(1), rig.delivery(thingXml('latest_thing', 'a', 1))];
    await rig.put(alone, { status: 'DEAD', attempt: 1, laneSeq: 1, dueAt: rig.clock.now() });
    await rig.put(ofLatest, { status: 'DEAD', attempt: 1, dueAt: rig.clock.now() });
    await rig.retryFor(120_000);
    expect(await rig.statuses(alone, ofLatest)).toEqual(['DEAD', 'DEAD']);
    expect(await rig.notes()).toEqual([]);
    expect(rig.guard.calls).toEqual([]);
  });

  it('the first of a strict entity only; a dead one blocks the rest', async () => {
    await open();
    const line = await deadLine();
    await rig.retryFor(5_000);
    expect(await rig.statuses(...line)).toEqual(['DEAD', 'PARKED', 'PARKED']);
  });

  it('the database says it, whatever the guard says', async () => {
    await open();
    const delivery = strict(1);
    await rig.put(delivery, { status: 'RETRY', attempt: 1, laneSeq: 1, dueAt: rig.clock.now() });
    await rig.guard.acquire(delivery.guardKey, 'leftover', 30_000, 0);
    await rig.guard.complete(delivery.guardKey, 'leftover', 600_000);
    await rig.retryPass();
    expect(await rig.statuses(delivery)).toEqual(['APPLIED']);
  });

  it('one that another worker holds waits for its end and pays no attempt', async () => {
    await open();
    const delivery = strict(1);
    await rig.put(delivery, { status: 'RETRY', attempt: 1, laneSeq: 1, dueAt: rig.clock.now() });
    await rig.guard.acquire(delivery.guardKey, 'theirs', 30_000, 0);
    await rig.retryFor(29_000);
    expect(await rig.row(delivery)).toMatchObject({ status: 'RETRY', attempt: 1 });
    await rig.retryFor(2_000);
    expect(await rig.row(delivery)).toMatchObject({ status: 'APPLIED', attempt: 2 });
  });
});

describe('a line of a strict entity', () => {
  it('drains in one pass, in order, once its first event has an outcome', async () => {
    await open({ handlers: { strict_thing: noteWhat } });
    const line = await deadLine();
    await rig.operator.run('redrive', [(await rig.row(line[0]!))!], { actor: 'kim', reason: '' });
    await rig.retryPass();
    expect(await rig.statuses(...line)).toEqual(['APPLIED', 'APPLIED', 'APPLIED']);
    expect(await rig.notes()).toEqual(['first', 'second', 'third']);
  });

  it('is blocked by a redriven row from its old place', async () => {
    await open({ handlers: { strict_thing: noteWhat } });
    const line = await deadLine();
    await rig.operator.run('redrive', [(await rig.row(line[0]!))!], { actor: 'kim', reason: '' });
    const late = strict(4, 'fourth');
    await rig.consume(late);
    expect(await rig.row(line[0]!)).toMatchObject({ status: 'REDRIVEN', laneSeq: 1, attempt: 0, generation: 1 });
    expect(await rig.row(late)).toMatchObject({ status: 'PARKED', laneSeq: 4 });
    await rig.retryPass();
    expect(await rig.notes()).toEqual(['first', 'second', 'third', 'fourth']);
  });

  it('waits while its redriven row fails again, and while it is dead again', async () => {
    let fails = true;
    const handler: PlainHandle = (context, event) =>
      fails ? Promise.reject(new Error('no')) : noteWhat(context, event);
    await open({ handlers: { strict_thing: handler } });
    const line = await deadLine();
    await rig.operator.run('redrive', [(await rig.row(line[0]!))!], { actor: 'kim', reason: '' });
    await rig.retryPass();
    expect(await rig.row(line[0]!)).toMatchObject({ status: 'RETRY', attempt: 1, generation: 1, laneSeq: 1 });
    expect(await rig.statuses(...line)).toEqual(['RETRY', 'PARKED', 'PARKED']);
    await rig.retryFor(100_000);
    expect(await rig.row(line[0]!)).toMatchObject({ status: 'DEAD', attempt: 4, generation: 1, laneSeq: 1 });
    expect(await rig.statuses(...line)).toEqual(['DEAD', 'PARKED', 'PARKED']);
    fails = false;
    await rig.operator.run('redrive', [(await rig.row(line[0]!))!], { actor: 'kim', reason: '' });
    await rig.retryPass();
    expect(await rig.notes()).toEqual(['first', 'second', 'third']);
  });

  it('does not wait for the lines of other entities', async () => {
    await open({
      handlers: {
        strict_thing: (context, event) =>
          event.fields['What'] === 'fail' ? Promise.reject(new Error('no')) : noteWhat(context, event),
      },
    });
    const [bad, good] = [strict(1, 'fail'), rig.delivery(thingXml('strict_thing', 'b', 1, { what: 'good' }))];
    for (const delivery of [bad, good])
      await rig.put(delivery, { status: 'RETRY', attempt: 1, laneSeq: 1, dueAt: rig.clock.now() });
    await rig.retryPass();
    expect(await rig.statuses(bad, good)).toEqual(['RETRY', 'APPLIED']);
  });
});

describe('a backlog of due rows', () => {
  it('leaves the event loop to others between two rows', async () => {
    let [runs, before, mostInOneTurn, isOver] = [0, 0, 0, false];
    await open({ handlers: { latest_thing: () => Promise.resolve(void (runs += 1)) } });
    for (let n = 0; n < 30; n += 1) {
      const delivery = rig.delivery(thingXml('latest_thing', `${n}`, 1));
      await rig.put(delivery, { status: 'REDRIVEN', attempt: 0, dueAt: rig.clock.now() });
    }
    const look = (): void => {
      mostInOneTurn = Math.max(mostInOneTurn, runs - before);
      before = runs;
      if (!isOver) setImmediate(look);
    };
    setImmediate(look);
    await rig.retryPass();
    isOver = true;
    expect(runs).toBe(30);
    expect(mostInOneTurn).toBeLessThanOrEqual(rig.options.retryLanes);
  });
});

describe('redrive and discard', () => {
  it('makes two clicks one', async () => {
    await open({ handlers: { strict_thing: () => Promise.reject(new Error('no')) } });
    const [dead] = await deadLine();
    const seen = (await rig.row(dead!))!;
    const clicks = await Promise.all([
      rig.operator.run('redrive', [seen], { actor: 'kim', reason: '' }),
      rig.operator.run('redrive', [seen], { actor: 'lee', reason: '' }),
    ]);
    expect(
      clicks
        .flat()
        .map(({ result }) => result)
        .sort(),
    ).toEqual(['changed-meanwhile', 'redriven']);
    expect(await rig.row(dead!)).toMatchObject({ status: 'REDRIVEN', generation: 1 });
  });

  it('compares the generation that the operator saw', async () => {
    await open({ handlers: { strict_thing: () => Promise.reject(new Error('no')) } });
    const [dead] = await deadLine();
    const seen = (await rig.row(dead!))!;
    await rig.operator.run('redrive', [seen], { actor: 'kim', reason: '' });
    await rig.retryFor(100_000);
    expect(await rig.row(dead!)).toMatchObject({ status: 'DEAD', generation: 1 });
    expect(await rig.operator.run('redrive', [seen], { actor: 'kim', reason: '' })).toMatchObject([
      { result: 'changed-meanwhile', status: 'DEAD', generation: 1 },
    ]);
    expect(await rig.operator.run('discard', [seen], { actor: 'kim', reason: '' })).toMatchObject([
      { result: 'changed-meanwhile', status: 'DEAD' },
    ]);
    expect(await rig.row(dead!)).toMatchObject({ status: 'DEAD', generation: 1 });
  });

  it.each(['RETRY', 'PARKED', 'DEAD', 'REDRIVEN'] as const)(
    'discards %s for good, and lets the next of its entity run',
    async (status) => {
      await open();
      const [first, second] = [strict(1), strict(2)];
      const row = await rig.put(first, {
        status,
        attempt: 1,
        laneSeq: 1,
        dueAt: status === 'DEAD' ? null : rig.clock.now() + 600_000,
      });
      await rig.consume(second);
      expect(await rig.operator.run('discard', [row], { actor: 'kim', reason: '' })).toMatchObject([
        { result: 'discarded', status: 'DISCARDED' },
      ]);
      expect(await rig.operator.run('discard', [row], { actor: 'kim', reason: '' })).toMatchObject([
        { result: 'not-waiting', status: 'DISCARDED' },
      ]);
      await rig.retryPass();
      expect(await rig.statuses(first, second)).toEqual(['DISCARDED', 'APPLIED']);
      // A zombie's message finds the key taken.
      const zombie = rig.again(first);
      await rig.consume(zombie);
      expect(await rig.notes(first)).toEqual([]);
      expect(zombie.settledCount).toBe(1);
    },
  );

  it('does neither to an outcome, and says when there is no such event', async () => {
    await open();
    const delivery = strict(1);
    await rig.consume(delivery);
    const row = (await rig.row(delivery))!;
    expect(
      await rig.operator.run('redrive', [row, { id: 999, generation: 0 }], { actor: 'kim', reason: '' }),
    ).toMatchObject([
      { result: 'not-dead', status: 'APPLIED' },
      { result: 'not-found', status: null },
    ]);
    expect(await rig.operator.run('discard', [row], { actor: 'kim', reason: '' })).toMatchObject([
      { result: 'not-waiting', status: 'APPLIED' },
    ]);
  });
});

describe('a database that was away for a while', () => {
  it('is tried although nothing is due, so that readiness comes back without traffic', async () => {
    await open();
    const { unitOfWork } = rig.database;
    const full = Object.assign(new Error('full'), { code: 'ERR_SQLITE_ERROR', errcode: 13 });
    await expect(unitOfWork.write(() => Promise.reject(full))).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    expect(unitOfWork.trouble()).not.toBeNull();
    await rig.retryPass();
    expect(unitOfWork.trouble()).toBeNull();
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { textAt } from '../entity-types/fields.js';
import { DatabaseUnavailableError } from '../database/database-errors.js';
import { UnrecoverableError } from '../saga/unrecoverable-error.js';
import type { HandlerContext } from '../handlers/wecom-handler.js';
import { note, type PlainHandle } from '../../test/support/plain-handlers.js';
import { thingXml, WorkerRig, type RigOptions } from '../../test/support/worker-rig.js';

let rig: WorkerRig;
afterEach(() => rig.close());

async function open(options: RigOptions = {}): Promise<WorkerRig> {
  return (rig = await WorkerRig.open(options));
}

const hang = ({ signal }: HandlerContext): Promise<void> =>
  new Promise((_, reject) => signal.addEventListener('abort', () => reject(new Error('stopped')), { once: true }));

/** Does the first thing once, the second from then on. */
function first(once: PlainHandle, then: PlainHandle = async (context) => void (await note(context))): PlainHandle {
  let runs = 0;
  return (context, event) => ((runs += 1) === 1 ? once(context, event) : then(context, event));
}

const failing: PlainHandle = async (context, { fields }) => {
  await note(context, textAt(fields, 'What') ?? '');
  if (fields['What'] === 'fail') throw new Error('no');
};

describe('a lost lease', () => {
  it('is an infrastructure failure of a message: no row, no settle, again at acquire', async () => {
    await open({ handlers: { latest_thing: first(hang) } });
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    rig.guard.loseAt('renew');
    await rig.consume(delivery);
    expect(rig.guard.callsFor(delivery.guardKey)).toEqual([
      'acquire',
      'start',
      'release',
      'acquire',
      'start',
      'complete',
    ]);
    expect(await rig.row(delivery)).toMatchObject({ status: 'APPLIED', attempt: 1 });
    expect(await rig.count('event_history')).toBe(1);
    expect(await rig.notes()).toEqual(['applied']);
    expect(delivery.settledCount).toBe(1);
  });

  it('keeps a handler from starting when it is noticed just before', async () => {
    let runs = 0;
    await open({ handlers: { latest_thing: async () => void (runs += 1) } });
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    rig.guard.loseAt('start');
    await rig.consume(delivery);
    expect(runs).toBe(1);
    expect(rig.guard.callsFor(delivery.guardKey)).toEqual([
      'acquire',
      'start',
      'release',
      'acquire',
      'start',
      'complete',
    ]);
  });

  it('rolls back what a handler had finished, when it is noticed before the commit', async () => {
    let runs = 0;
    await open({ handlers: { latest_thing: async (context) => void ((runs += 1), await note(context)) } });
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    rig.guard.loseAt('renew');
    rig.acts.after('eventLog.record', () => rig.clock.sleep(11_000));
    await rig.consume(delivery);
    expect(runs).toBe(2);
    expect(await rig.notes()).toEqual(['applied']);
  });

  it('leaves a row as it was counted, and the row runs again', async () => {
    await open({ handlers: { latest_thing: first(hang) } });
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    await rig.put(delivery, { status: 'RETRY', attempt: 1, dueAt: rig.clock.now() });
    rig.guard.loseAt('renew');
    await rig.retryPass();
    expect(await rig.row(delivery)).toMatchObject({ status: 'RETRY', attempt: 2, errorCode: null });
    expect(await rig.count('event_history')).toBe(0);
    await rig.retryFor(2_000);
    expect(await rig.row(delivery)).toMatchObject({ status: 'APPLIED', attempt: 3 });
    expect(await rig.notes()).toEqual(['applied']);
  });

  it('is found by the worker that comes second: it waits while another holds the lease', async () => {
    await open();
    const [delivery, behind] = [
      rig.delivery(thingXml('strict_thing', 'a', 1)),
      rig.delivery(thingXml('strict_thing', 'a', 2)),
    ];
    await rig.guard.acquire(delivery.guardKey, 'theirs', 30_000, 0);
    await rig.consume(delivery, behind);
    expect(await rig.rows()).toEqual([]);
    expect([delivery, behind].map(({ settledCount }) => settledCount)).toEqual([0, 0]);
    // What is behind must not overtake.
    expect([delivery, behind].map(({ cameBackAfterMs }) => cameBackAfterMs)).toEqual([[1_000], [1_000]]);
  });
});

describe('a guard that says SUCCESS', () => {
  it('has a redelivery settled without a transaction', async () => {
    await open();
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    await rig.consume(delivery);
    const again = rig.again(delivery);
    await rig.consume(again);
    expect(again.settledCount).toBe(1);
    expect(rig.writes.writes).toHaveLength(1);
    expect(await rig.notes()).toEqual(['applied']);
  });
});

describe('infrastructure away', () => {
  it('pauses a message in place and costs it no attempt', async () => {
    await open();
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    rig.writes.isAway = true;
    const consumed = rig.consumer.consume([delivery]);
    await rig.clock.advance(60_000);
    expect(delivery.isSettled).toBe(false);
    rig.writes.isAway = false;
    await rig.drive(consumed);
    expect(await rig.row(delivery)).toMatchObject({ status: 'APPLIED', attempt: 1 });
  });

  it('ends the pause when the lane is taken away, and settles nothing', async () => {
    await open();
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    rig.writes.isAway = true;
    const consumed = rig.consumer.consume([delivery]);
    await rig.clock.advance(5_000);
    delivery.takeAway();
    await rig.drive(consumed, 1_000);
    expect(delivery.isSettled).toBe(false);
  });

  it('is also a lane that was taken away during a run: nothing is written', async () => {
    await open({ handlers: { latest_thing: hang } });
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    const consumed = rig.consumer.consume([delivery]);
    await rig.clock.advance(1_000);
    delivery.takeAway();
    await rig.drive(consumed, 1_000);
    expect(await rig.rows()).toEqual([]);
    expect(rig.guard.callsFor(delivery.guardKey)).toEqual(['acquire', 'start', 'release']);
  });

  it('is not the guard: without it wall 3 decides, and a redelivery has no second effect', async () => {
    await open();
    rig.guard.isAway = true;
    const delivery = rig.delivery(thingXml('strict_thing', 'a', 1));
    const again = rig.again(delivery);
    await rig.consume(delivery);
    await rig.consume(again);
    expect([delivery.settledCount, again.settledCount]).toEqual([1, 1]);
    expect(await rig.notes()).toEqual(['applied']);
  });
});

describe('a failed handler', () => {
  it('leaves a RETRY row, then the guard is released, then the message settled', async () => {
    const order: string[] = [];
    await open({ handlers: { latest_thing: failing } });
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1, { what: 'fail' }));
    const [release, settle] = [rig.guard.release.bind(rig.guard), delivery.settle.bind(delivery)];
    rig.guard.release = async (key, token) => {
      order.push(`release of ${(await rig.row(delivery))?.status}`);
      return release(key, token);
    };
    delivery.settle = async () => (order.push('settle'), settle());
    await rig.consume(delivery);
    expect(order).toEqual(['release of RETRY', 'settle']);
    expect(await rig.row(delivery)).toMatchObject({ attempt: 1, errorCode: 'Error', errorMessage: 'no' });
    expect(await rig.notes()).toEqual([]);
    expect(rig.guard.callsFor(delivery.guardKey)).toEqual(['acquire', 'start', 'release']);
  });

  it('has three retries after about 1, 10 and 60 seconds, then it is DEAD with one copy for the dead-letter topic', async () => {
    const at: number[] = [];
    await open({
      handlers: { latest_thing: async () => (at.push(rig.clock.monotonic()), Promise.reject(new Error('no'))) },
    });
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    await rig.consume(delivery);
    await rig.retryFor(90_000);
    expect(await rig.row(delivery)).toMatchObject({ status: 'DEAD', attempt: 4, dueAt: null });
    const waits = at.slice(1).map((ms, index) => ms - (at[index] ?? 0));
    expect(waits).toHaveLength(3);
    for (const [index, delay] of [1_000, 10_000, 60_000].entries()) {
      expect(waits[index]).toBeGreaterThanOrEqual(delay * 0.8);
      expect(waits[index]).toBeLessThanOrEqual(delay * 1.2 + 400);
    }
    expect(await rig.count('outbox')).toBe(1);
  });

  it('is DEAD at once when it says that running again cannot help', async () => {
    await open({
      handlers: { latest_thing: () => Promise.reject(new UnrecoverableError('no', { code: 'NO_SUCH_USER' })) },
    });
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    await rig.consume(delivery);
    expect(await rig.row(delivery)).toMatchObject({ status: 'DEAD', attempt: 1, errorCode: 'NO_SUCH_USER' });
    expect(await rig.count('outbox')).toBe(1);
    expect(delivery.settledCount).toBe(1);
    expect(rig.guard.callsFor(delivery.guardKey).at(-1)).toBe('release');
  });
});

describe('a batch with a failing event', () => {
  const batch = (kind: 'strict_thing' | 'latest_thing') => {
    const what = ['one', 'fail', 'behind', 'far behind'];
    return what.map((text, index) =>
      rig.delivery(thingXml(kind, text === 'one' ? 'x' : 'a', index + 1, { what: text })),
    );
  };

  it('commits the failed row of a strict entity first, so that the later ones park behind it', async () => {
    await open({ handlers: { strict_thing: failing } });
    const deliveries = batch('strict_thing');
    const other = rig.delivery(thingXml('strict_thing', 'b', 1, { what: 'other' }));
    await rig.consume(...deliveries, other);
    expect(await rig.statuses(...deliveries, other)).toEqual(['APPLIED', 'RETRY', 'PARKED', 'PARKED', 'APPLIED']);
    expect(await rig.notes()).toEqual(['one', 'other']);
    expect(deliveries.every(({ settledCount }) => settledCount === 1)).toBe(true);
  });

  it('applies the later ones of a latest entity, after the failed row is committed', async () => {
    await open({ handlers: { latest_thing: failing } });
    const deliveries = batch('latest_thing');
    await rig.consume(...deliveries);
    expect(await rig.statuses(...deliveries)).toEqual(['APPLIED', 'RETRY', 'APPLIED', 'APPLIED']);
    // In order of writing.
    const keys = (await rig.rows()).map(({ eventKey }) => eventKey);
    expect(keys).toEqual(deliveries.map(({ eventKey }) => eventKey));
    expect(await rig.notes()).toEqual(['one', 'behind', 'far behind']);
  });

  it('starts all that is left again, in order, when the failure row cannot be written', async () => {
    let runs = 0;
    const once: PlainHandle = (context, event) => {
      runs += event.fields['What'] === 'fail' ? 1 : 0;
      // The second run is the one alone; its failure row comes next.
      if (event.fields['What'] === 'fail' && runs === 2) {
        rig.writes.beforeNextWrite(() => Promise.reject(new DatabaseUnavailableError({ cause: new Error('away') })));
      }
      return failing(context, event);
    };
    await open({ handlers: { strict_thing: once } });
    const deliveries = batch('strict_thing');
    await rig.consume(...deliveries);
    expect(await rig.statuses(...deliveries)).toEqual(['APPLIED', 'RETRY', 'PARKED', 'PARKED']);
    expect(await rig.row(deliveries[1]!)).toMatchObject({ attempt: 1 });
    expect(runs).toBeGreaterThan(2);
    expect(deliveries.every(({ settledCount }) => settledCount === 1)).toBe(true);
  });
});

describe('the longest life of a lease', () => {
  it('is a failure of the handler when it runs alone', async () => {
    await open({ maxLifeMs: 60_000, handlers: { latest_thing: hang } });
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    await rig.consume(delivery);
    expect(await rig.row(delivery)).toMatchObject({ status: 'RETRY', attempt: 1, errorCode: 'LEASE_MAX_LIFE' });
    expect(delivery.settledCount).toBe(1);
  });

  it('splits a batch, whose events get a whole lease each', async () => {
    const slow: PlainHandle = async (context, { fields }) => {
      if (fields['What'] === 'hang') return hang(context);
      // Together too long for one lease, alone well within it.
      await rig.clock.sleep(40_000, context.signal);
      await note(context);
    };
    await open({ maxLifeMs: 60_000, handlers: { latest_thing: slow } });
    const deliveries = ['', 'hang', ''].map((what, index) =>
      rig.delivery(thingXml('latest_thing', `${index}`, 1, { what })),
    );
    await rig.consume(...deliveries);
    expect(await rig.statuses(...deliveries)).toEqual(['APPLIED', 'RETRY', 'APPLIED']);
    expect(await rig.row(deliveries[1]!)).toMatchObject({ attempt: 1, errorCode: 'LEASE_MAX_LIFE' });
    expect(await rig.notes()).toHaveLength(2);
    expect(deliveries.every(({ settledCount }) => settledCount === 1)).toBe(true);
  });

  it('also ends a run without a guard', async () => {
    await open({ maxLifeMs: 60_000, handlers: { latest_thing: hang } });
    rig.guard.isAway = true;
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    await rig.consume(delivery);
    expect(await rig.row(delivery)).toMatchObject({ status: 'RETRY', errorCode: 'LEASE_MAX_LIFE' });
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { defineEntityType } from '../entity-types/entity-type.js';
import { note, type PlainHandle } from '../../test/support/plain-handlers.js';
import { thingXml, WorkerRig, type RigOptions } from '../../test/support/worker-rig.js';

let rig: WorkerRig;
afterEach(() => rig.close());

async function open(options: RigOptions = {}): Promise<WorkerRig> {
  return (rig = await WorkerRig.open(options));
}

describe('what a handler may do wrong', () => {
  it('throwing something without a text is a failure like any other, of its event alone', async () => {
    const odd: PlainHandle = async (context, { fields }) => {
      if (fields['What'] === 'odd') throw Object.create(null);
      await note(context);
    };
    await open({ handlers: { latest_thing: odd } });
    const [bad, good] = [
      rig.delivery(thingXml('latest_thing', 'a', 1, { what: 'odd' })),
      rig.delivery(thingXml('latest_thing', 'b', 1)),
    ];
    await rig.consume(bad, good);
    expect(await rig.statuses(bad, good)).toEqual(['RETRY', 'APPLIED']);
  });

  it('an error of WeCom’s API is a failure of the handler, not of the database', async () => {
    const failing: PlainHandle = () => Promise.reject(Object.assign(new Error('api'), { errcode: 95_002 }));
    await open({ handlers: { latest_thing: failing } });
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    await rig.consume(delivery);
    expect(await rig.row(delivery)).toMatchObject({ status: 'RETRY', attempt: 1, errorCode: 'Error' });
  });

  it('a command that cannot be sent fails its handler and never reaches the outbox', async () => {
    const failing: PlainHandle = async ({ outbox }) => outbox.add(null as never);
    await open({ handlers: { latest_thing: failing } });
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    await rig.consume(delivery);
    expect(await rig.statuses(delivery)).toEqual(['RETRY']);
    expect(await rig.count('outbox')).toBe(0);
  });

  it('returning nothing where a promise is asked for is no failure', async () => {
    await open({ handlers: { latest_thing: () => undefined as never } });
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    await rig.consume(delivery);
    expect(await rig.statuses(delivery)).toEqual(['APPLIED']);
  });

  it('an entity key that cannot be told makes a dead letter instead of a loop', async () => {
    const broken = defineEntityType({
      name: 'broken',
      events: ['broken_thing'],
      entityKey: () => decodeURIComponent('%'),
    });
    await open({ entityTypes: [broken] });
    const text = thingXml('latest_thing', 'a', 1);
    const delivery = rig.foreign(rig.delivery(text).body.replaceAll('latest_thing', 'broken_thing'));
    await rig.consume(delivery);
    const [row] = await rig.rows();
    expect(row).toMatchObject({ status: 'DEAD', errorCode: 'ENTITY_KEY_FAILED' });
    expect(delivery.settledCount).toBe(1);
  });

  it('slow work of others while the transaction waits for its turn costs no attempt', async () => {
    let runs = 0;
    await open({ maxLifeMs: 10_000, handlers: { latest_thing: async () => void (runs += 1) } });
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    const busy = rig.database.unitOfWork.write(() => rig.clock.sleep(25_000));
    await rig.consume(delivery);
    await busy;
    expect([runs, await rig.row(delivery)]).toMatchObject([1, { status: 'APPLIED', attempt: 1 }]);
  });
});

describe('a duplicate key whose row is not the event’s', () => {
  it('is infrastructure away, not a loop without a pause', async () => {
    await open();
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    await rig.put(delivery, { status: 'APPLIED' });
    // The store gives the key back in another spelling, once.
    rig.acts.answer('eventLog.find', [{ ...(await rig.row(delivery)), eventKey: 'other' }]);
    const begun = rig.clock.now();
    await rig.consume(delivery);
    expect(rig.clock.now()).toBeGreaterThan(begun);
    expect(delivery.settledCount).toBe(1);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { OUTCOMES, WAITING } from '../event-log/status.js';
import { note } from '../../test/support/plain-handlers.js';
import { thingXml, WorkerRig, type RigOptions } from '../../test/support/worker-rig.js';

let rig: WorkerRig;
afterEach(() => rig.close());

async function open(options: RigOptions = {}): Promise<WorkerRig> {
  return (rig = await WorkerRig.open(options));
}

describe('the row owns its event', () => {
  it.each(OUTCOMES)('a message that finds %s completes, settles and runs nothing', async (status) => {
    await open();
    const delivery = rig.delivery(thingXml('strict_thing', 'a', 1));
    const row = await rig.put(delivery, { status, attempt: 1 });
    await rig.consume(delivery);
    expect(delivery.settledCount).toBe(1);
    expect(await rig.notes()).toEqual([]);
    expect(await rig.row(delivery)).toEqual(row);
    expect(rig.guard.callsFor(delivery.guardKey)).toEqual(['acquire', 'start', 'complete']);
  });

  it.each(WAITING)('a message that finds %s releases the guard, settles and runs nothing', async (status) => {
    await open();
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    const row = await rig.put(delivery, { status, attempt: 1, dueAt: rig.clock.now() });
    await rig.consume(delivery);
    expect(delivery.settledCount).toBe(1);
    expect(await rig.notes()).toEqual([]);
    expect(await rig.row(delivery)).toEqual(row);
    // SUCCESS here would swallow an event that still has to run.
    expect(rig.guard.callsFor(delivery.guardKey)).toEqual(['acquire', 'start', 'release']);
  });

  it('runs what has no row although the batch holds what has one', async () => {
    await open();
    const [known, fresh] = [
      rig.delivery(thingXml('latest_thing', 'a', 1)),
      rig.delivery(thingXml('latest_thing', 'b', 1)),
    ];
    await rig.put(known, { status: 'RETRY', attempt: 1, dueAt: rig.clock.now() + 1_000 });
    await rig.consume(known, fresh);
    expect(await rig.statuses(known, fresh)).toEqual(['RETRY', 'APPLIED']);
    expect([known.settledCount, fresh.settledCount]).toEqual([1, 1]);
    expect(await rig.notes()).toEqual(['applied']);
  });

  it('treats a duplicate key whose row cannot be found as infrastructure', async () => {
    await open();
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    await rig.put(delivery, { status: 'APPLIED', attempt: 1 });
    rig.acts.answer('eventLog.find', []);
    await rig.consume(delivery);
    expect(rig.guard.callsFor(delivery.guardKey)).toEqual([
      'acquire',
      'start',
      'release',
      'acquire',
      'start',
      'complete',
    ]);
    expect(delivery.settledCount).toBe(1);
  });
});

describe('compare-and-set of the entity', () => {
  it('rolls back everything on a miss and runs the whole transaction again', async () => {
    let runs = 0;
    await open({ handlers: { latest_thing: async (context) => void ((runs += 1), await note(context)) } });
    const [seen, next] = [
      rig.delivery(thingXml('latest_thing', 'a', 1)),
      rig.delivery(thingXml('latest_thing', 'a', 2)),
    ];
    await rig.consume(seen);
    rig.acts.after('sagas.load', ({ manager }) => manager.query('UPDATE saga SET version = version + 1'));
    await rig.consume(next);
    // Once each: the entity is written before the handler runs, so a miss costs no run of it.
    expect(runs).toBe(2);
    expect(await rig.notes(next)).toEqual(['applied']);
    expect(await rig.statuses(next)).toEqual(['APPLIED']);
    expect(await rig.entity('a')).toMatchObject({ version: 2, last_event_time: 2 });
    expect(await rig.count('entity_change')).toBe(2);
  });

  it('sees an entity that came into being since it was read', async () => {
    await open();
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 5));
    rig.acts.after('sagas.load', async ({ manager }) => {
      const values = "'app', 'wwtest', 'latest_thing', 'a', 'app/wwtest/latest_thing/a', '', 1, 9, 0, 0, 0";
      await manager.query(
        `INSERT INTO saga (receiver, corp_id, entity_type, entity_id, entity_key, state, version, last_event_time, last_rank, unconfirmed, tombstone) VALUES (${values})`,
      );
    });
    await rig.consume(delivery);
    expect(await rig.statuses(delivery)).toEqual(['APPLIED']);
    expect(await rig.count('saga')).toBe(1);
    expect(rig.writes.writes.filter((calls) => calls.has('eventLog.insert'))).toHaveLength(2);
  });
});

describe('a commit whose reply is lost', () => {
  it('is decided by the key: one effect, and the message is settled', async () => {
    await open();
    const delivery = rig.delivery(thingXml('strict_thing', 'a', 1));
    rig.writes.failCommit('eventLog.insert', 'reply-lost');
    await rig.consume(delivery);
    expect(await rig.notes()).toEqual(['applied']);
    expect(await rig.count('entity_change')).toBe(1);
    expect(delivery.settledCount).toBe(1);
    expect(rig.guard.callsFor(delivery.guardKey).at(-1)).toBe('complete');
  });

  it('of a row is decided by its status: one effect', async () => {
    await open();
    const delivery = rig.delivery(thingXml('strict_thing', 'a', 1));
    await rig.put(delivery, { status: 'RETRY', attempt: 1, laneSeq: 1, dueAt: rig.clock.now() });
    rig.writes.failCommit('eventLog.decide', 'reply-lost');
    await rig.retryPass();
    expect(await rig.statuses(delivery)).toEqual(['APPLIED']);
    expect(await rig.notes()).toEqual(['applied']);
  });

  it.each(['conflict', 'unavailable'] as const)(
    'differs from one that failed (%s): that one is done again',
    async (fault) => {
      await open();
      const delivery = rig.delivery(thingXml('strict_thing', 'a', 1));
      rig.writes.failCommit('eventLog.insert', fault);
      await rig.consume(delivery);
      expect(await rig.notes()).toEqual(['applied']);
      expect(await rig.row(delivery)).toMatchObject({ status: 'APPLIED', attempt: 1 });
    },
  );
});

describe('a batch', () => {
  it('holds an event once, and settles every delivery of it', async () => {
    await open();
    const delivery = rig.delivery(thingXml('strict_thing', 'a', 1));
    const [again, third] = [rig.again(delivery), rig.again(delivery)];
    await rig.consume(delivery, again, third);
    expect(await rig.notes()).toEqual(['applied']);
    expect([delivery, again, third].map(({ settledCount }) => settledCount)).toEqual([1, 1, 1]);
  });

  it('shares one transaction', async () => {
    await open();
    const deliveries = [1, 2, 3].map((id) => rig.delivery(thingXml('strict_thing', String(id), 1)));
    await rig.consume(...deliveries);
    expect(rig.writes.writes).toHaveLength(1);
  });
});

describe('a handler that ignores its signal', () => {
  it('cannot write after the rollback, neither alone nor into another transaction', async () => {
    let isOver = false;
    let refused = 0;
    const zombies: Promise<void>[] = [];
    await open({
      maxLifeMs: 30_000,
      handlers: {
        latest_thing: (context) => {
          const work = (async () => {
            // A loop of microtasks meets every gap between the rollback and what follows.
            while (!isOver && refused < 100) {
              await note(context, 'zombie').catch(() => (refused += 1));
              if (refused === 0) await new Promise((resolve) => setImmediate(resolve));
            }
          })();
          zombies.push(work);
          return work;
        },
      },
    });
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    await rig.consume(delivery);
    isOver = true;
    await Promise.all(zombies);
    expect(await rig.statuses(delivery)).toEqual(['RETRY']);
    expect(await rig.notes()).toEqual([]);
    expect(refused).toBeGreaterThan(0);
  });
});

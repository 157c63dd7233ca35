import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { MIGRATIONS } from '../../migrations/migrations.js';
import type { Tx } from '../../src/database/unit-of-work.js';
import type { EventLog, EventRow } from '../../src/event-log/event-log.js';
import { MysqlEventLog } from '../../src/event-log/mysql/mysql-event-log.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { UNSEEN } from '../../src/saga/decide.js';
import { SqlOutbox } from '../../src/saga/sql-outbox.js';
import { MysqlSagaStore } from '../../src/saga/mysql/mysql-saga-store.js';
import { identity, inLine, state } from '../contract/event-log.suite.js';
import { Gate, interrupted, rowLocksWaitedFor, storedRow } from '../support/gate.js';
import { describeWithDatabases, type DatabaseServer } from '../support/database-server.js';
import { openMysqlDatabase, type MysqlDatabase } from '../support/mysql-database.js';
import { deliveryOf, entity, latest, MysqlWorker, strict } from '../support/mysql-worker.js';
import { until } from '../support/until.js';
import { note, type PlainHandle } from '../support/plain-handlers.js';
import { thingXml } from '../support/worker-rig.js';

describeWithDatabases('row locks', (start) => {
  let server: DatabaseServer;
  let database: MysqlDatabase;
  const workers: MysqlWorker[] = [];
  const log = new MysqlEventLog('test');
  const outbox = SqlOutbox.forMysql();
  beforeAll(async () => {
    server = await start();
    database = await openMysqlDatabase(server, new SystemClock(), { migrations: MIGRATIONS }, { poolMax: 12 });
  });
  afterAll(async () => {
    await database.close();
    await server.stop();
  });
  beforeEach(async () => {
    for (const table of ['event_log', 'event_history', 'saga', 'entity_change', 'outbox', 'audit', 'note'])
      await database.query(`DELETE FROM ${table}`);
  });
  afterEach(async () => {
    for (const worker of workers.splice(0)) await worker.close();
  });

  const worker = (handle?: PlainHandle, watched?: (log: EventLog) => EventLog): MysqlWorker => {
    const made = new MysqlWorker(database.unitOfWork, handle, watched);
    workers.push(made);
    return made;
  };
  /** A worker whose handler notes and then stands at the gate, its transaction open. */
  const heldBy = (gate: Gate): MysqlWorker => worker((context) => note(context).then(() => gate.pass()));
  const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => database.unitOfWork.write(work);
  const put = (...rows: Parameters<EventLog['insert']>[1]): Promise<unknown> => write((tx) => log.insert(tx, rows));
  const rowOf = (eventKey: string): Promise<EventRow> => storedRow(database.unitOfWork, log, eventKey);
  const notes = async (): Promise<string[]> =>
    (await database.query<{ event_key: string }>('SELECT event_key FROM note ORDER BY id')).map((row) => row.event_key);
  const blocked = (): Promise<void> =>
    until(async () => (await rowLocksWaitedFor(database)) > 0, 2_500, 'a lock is waited for');

  describe('the entity row', () => {
    it('holds the next event of a new entity back until the transaction of the one before it ends', async () => {
      const gate = new Gate();
      const [one, two] = [strict('a', 1), strict('a', 2)];
      let begun = 0;
      const second = worker(async (context) => {
        begun += 1;
        await note(context);
      });
      const first = heldBy(gate).consume(one);
      await gate.arrived();
      const behind = second.consume(two);
      await blocked();
      expect(begun).toBe(0);
      gate.open();
      await Promise.all([first, behind]);
      expect(await notes()).toEqual([one.eventKey, two.eventKey]);
      expect(await database.query('SELECT version FROM saga')).toEqual([{ version: 2 }]);
      expect([begun, second.unitOfWork.conflictCount]).toEqual([1, 0]);
    });

    it('parks an event that comes while the failure of the one before it is being written', async () => {
      const gate = new Gate();
      const [one, two] = [strict('a', 1), strict('a', 2)];
      const failing = worker(
        () => Promise.reject(new Error('no')),
        (inner) =>
          Object.assign(Object.create(inner) as EventLog, {
            record: async (...args: Parameters<EventLog['record']>) => {
              await gate.pass();
              return inner.record(...args);
            },
          }),
      );
      const first = failing.consume(one);
      await gate.arrived();
      const behind = worker().consume(two);
      await blocked();
      gate.open();
      await Promise.all([first, behind]);
      expect(await rowOf(one.eventKey)).toMatchObject({ status: 'RETRY', laneSeq: 1 });
      expect(await rowOf(two.eventKey)).toMatchObject({ status: 'PARKED', laneSeq: 2 });
      expect(await notes()).toEqual([]);
    });

    it('is made once by many at a time, and whatever else they name is made too', async () => {
      const [store, gate] = [new MysqlSagaStore(database.unitOfWork), new Gate()];
      const making = write(async (tx) => {
        await store.write(tx, [{ entity: entity(0), before: UNSEEN, after: UNSEEN }]);
        await gate.pass();
      });
      await gate.arrived();
      const many = Promise.all([1, 2, 3].map((own) => store.prepare([entity(own), entity(9), entity(0)])));
      await blocked();
      gate.open();
      await Promise.all([making, many]);
      expect(await database.query('SELECT COUNT(*) AS total FROM saga')).toEqual([{ total: 5 }]);
    });

    it('is locked in one order by batches that name entities in different orders', async () => {
      const [one, two] = [worker(), worker()];
      for (let round = 0; round < 20; round += 1) {
        const ids = ['a', 'b', 'c', 'd', 'e', 'f'];
        const batch = (names: readonly string[], what: string) => names.map((id) => strict(id, round, what));
        await Promise.all([one.consume(...batch(ids, 'one')), two.consume(...batch([...ids].reverse(), 'two'))]);
      }
      expect(one.unitOfWork.conflictCount + two.unitOfWork.conflictCount).toBe(0);
      expect((await notes()).length).toBe(240);
    });

    it('is written before the handler: the version refuses the second, and all of it runs again', async () => {
      const gate = new Gate();
      await worker().consume(latest('a', 0));
      const [first, second] = [heldBy(gate), worker()];
      const running = first.consume(latest('a', 1, 'one'));
      await gate.arrived();
      const waiting = second.consume(latest('a', 1, 'two'));
      await blocked();
      gate.open();
      await Promise.all([running, waiting]);
      expect([first.unitOfWork.conflictCount, second.unitOfWork.conflictCount]).toEqual([0, 1]);
      expect(await database.query('SELECT version FROM saga')).toEqual([{ version: 3 }]);
      expect((await notes()).length).toBe(3);
    });
  });

  describe('a duplicate key', () => {
    it('is not an effect: the row decides, and the other one may still roll back', async () => {
      const gate = new Gate();
      const event = deliveryOf(thingXml('strict_thing', '', 1_700_000_000).replaceAll('strict_thing', 'loose_thing'));
      const failing = worker(async (context) => {
        await note(context);
        await gate.pass();
        throw new Error('no');
      });
      const first = failing.consume(event);
      await gate.arrived();
      const second = worker().consume(event);
      await blocked();
      gate.open();
      await Promise.all([first, second]);
      // Whichever of them had the key in the end, nothing is lost and nothing doubled.
      const row = await rowOf(event.eventKey);
      expect([row.status, (await notes()).length]).toEqual(row.status === 'APPLIED' ? ['APPLIED', 1] : ['RETRY', 0]);
    });

    it('of a waiting row leaves the event to its row', async () => {
      const event = strict('a', 1);
      await worker(() => Promise.reject(new Error('no'))).consume(event);
      const second = worker();
      await second.consume(event);
      expect((await second.guard.acquire(event.guardKey, 'look', 1_000, 1_000)).kind).not.toBe('success');
      expect(await rowOf(event.eventKey)).toMatchObject({ status: 'RETRY', attempt: 1 });
      expect(await notes()).toEqual([]);
      expect(event.settledCount).toBe(2);
    });

    it('waits for the outcome that is being written into its row', async () => {
      await put({ ...identity('k'), ...state('RETRY', { dueAt: 0 }) });
      const gate = new Gate();
      const row = await rowOf('k');
      const deciding = write(async (tx) => {
        await log.decide(tx, row, state('APPLIED'));
        await gate.pass();
      });
      await gate.arrived();
      const found = write((tx) => log.find(tx, [identity('k')]));
      await blocked();
      gate.open();
      await deciding;
      expect((await found).map(({ status }) => status)).toEqual(['APPLIED']);
    });
  });

  describe('picking', () => {
    const loose = (count: number) =>
      Array.from({ length: count }, (_, index) => ({ ...identity(`k${index}`), ...state('RETRY', { dueAt: index }) }));

    it('gives two consumers different rows, and neither waits', async () => {
      await put(...loose(500));
      const [first, second] = await write(async (one) => {
        const mine = await log.pick(one, 1_000, 9_000, 50);
        return [mine, await write((two) => log.pick(two, 1_000, 9_000, 50))];
      });
      expect([first?.length, second?.length]).toEqual([50, 50]);
      expect(new Set([...(first ?? []), ...(second ?? [])].map(({ id }) => id)).size).toBe(100);
    });

    it('gives two relays different commands, and neither waits', async () => {
      const command = { kind: 'topic' as const, name: 'n', topic: 't', key: 'k', body: '' };
      const entries = Array.from({ length: 20 }, (_, index) => ({
        ...{ idempotencyKey: `k${index}`, eventKey: 'e', command, dueAt: index },
      }));
      await write((tx) => outbox.add(tx, entries));
      const [first, second] = await write(async (one) => {
        const mine = await outbox.pick(one, 1_000, 9_000, 10);
        return [mine, await write((two) => outbox.pick(two, 1_000, 9_000, 20))];
      });
      expect([first?.length, second?.length]).toEqual([10, 10]);
      expect(new Set([...(first ?? []), ...(second ?? [])].map(({ id }) => id)).size).toBe(20);
    });

    it('does not pass over the first of a line because another worker has it locked', async () => {
      await put(inLine('first', 1, 'RETRY'), inLine('second', 2, 'PARKED'));
      const first = await rowOf('first');
      const next = await write(async (one) => {
        await log.count(one, first, 'token');
        return write((two) => log.pickNext(two, 'e', 10, 99));
      });
      expect(next).toBeNull();
      expect(await rowOf('second')).toMatchObject({ dueAt: 0 });
    });

    it('loses no turn to an outcome that comes in the middle of it', async () => {
      await put(inLine('first', 5, 'DEAD', null), inLine('second', 6, 'PARKED', 1));
      const first = await rowOf('first');
      let ending: Promise<unknown> = Promise.resolve();
      const between = async (): Promise<void> => {
        let isDone = false;
        ending = write((tx) => log.discard(tx, first.id, 0, 50)).then(() => (isDone = true));
        // It ends at once, or it waits for the row that the pick has locked.
        await until(
          async () => isDone || (await rowLocksWaitedFor(database)) > 0,
          10_000,
          'the outcome is there or waits',
        );
      };
      await write(({ manager }) =>
        log.pick({ manager: interrupted(manager, 'SET due_at = NULL', between) }, 10, 99, 9),
      );
      await ending;
      const second = await rowOf('second');
      expect(second.dueAt).not.toBeNull();
    });
  });

  describe('compare-and-set', () => {
    it('counts a run once when two workers count it at a time', async () => {
      await put({ ...identity('k'), ...state('RETRY', { attempt: 1 }) });
      const row = await rowOf('k');
      const counted = await Promise.all(['a', 'b', 'c', 'd'].map((token) => write((tx) => log.count(tx, row, token))));
      expect(counted.filter(Boolean)).toHaveLength(1);
      expect(await rowOf('k')).toMatchObject({ attempt: 2 });
    });

    it('lets a failure that arrives late stand back behind a discard, with no dead letter of its own', async () => {
      const event = strict('a', 1);
      const one = worker(() => Promise.reject(new Error('no')));
      await one.consume(event);
      const row = await rowOf(event.eventKey);
      const gate = new Gate();
      const discarding = write(async (tx) => {
        await one.sagas.lock(tx, [{ key: row.entityKey ?? '' }]);
        await log.discard(tx, row.id, row.generation, 5);
        await gate.pass();
      });
      await gate.arrived();
      const late = one.failures.write(one.factory.fromRow({ ...row, attempt: 3 }), new Error('late'), 9);
      const sameRun = one.failures.write(one.factory.fromRow(row), new Error('late'), 9);
      await blocked();
      gate.open();
      await discarding;
      expect([await late, await sameRun]).toEqual([{ kind: 'overtaken' }, { kind: 'overtaken' }]);
      expect(await rowOf(event.eventKey)).toMatchObject({ status: 'DISCARDED' });
      expect(await database.query('SELECT * FROM outbox')).toEqual([]);
    });

    it('makes two clicks on redrive, and a discard beside them, one', async () => {
      for (let round = 0; round < 10; round += 1) {
        const key = `k${round}`;
        await put({ ...inLine(key, 1, 'DEAD', null), entityKey: key });
        const { id } = await rowOf(key);
        const [{ operator }, by] = [worker(), { actor: 'somebody', reason: '' }];
        const results = await Promise.all(
          (['redrive', 'redrive', 'discard'] as const).map((one) => operator.run(one, [{ id, generation: 0 }], by)),
        );
        const done = results.flat().filter(({ result }) => result === 'redriven' || result === 'discarded');
        expect(done).toHaveLength(1);
        const row = await rowOf(key);
        expect([row.status, row.generation]).toEqual(
          done[0]?.result === 'redriven' ? ['REDRIVEN', 1] : ['DISCARDED', 0],
        );
        const audited = "SELECT SUM(action LIKE '%.missed') missed, COUNT(*) written FROM audit WHERE target = ?";
        expect(await database.query(audited, [`event:${id}`])).toEqual([{ missed: '2', written: 3 }]);
      }
    });

    it('holds an operator back while a worker has the entity, and tells what became of the row', async () => {
      const gate = new Gate();
      await put({ ...inLine('k', 1, 'DEAD', null), entityKey: 'e' });
      const { id } = await rowOf('k');
      const { operator, sagas } = worker();
      await sagas.prepare([{ ref: { receiver: 'r', corpId: 'c', entityType: 't', entityId: 'i' }, key: 'e' }]);
      const working = write(async (tx) => {
        await sagas.lock(tx, [{ key: 'e' }]);
        await gate.pass();
      });
      await gate.arrived();
      const redriving = operator.run('redrive', [{ id, generation: 0 }], { actor: 'somebody', reason: '' });
      await blocked();
      expect(await rowOf('k')).toMatchObject({ status: 'DEAD' });
      gate.open();
      await working;
      expect(await redriving).toMatchObject([{ result: 'redriven', generation: 1 }]);
    });
  });
});

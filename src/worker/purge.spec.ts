import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import type { ClusterLock } from '../cluster/cluster-lock.js';
import { TransactionConflictError } from '../database/database-errors.js';
import type { Tx, UnitOfWork } from '../database/unit-of-work.js';
import { AgedRows, type AgedTable } from '../event-log/aged-rows.js';
import { Log } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';
import { thingXml, WorkerRig } from '../../test/support/worker-rig.js';
import { Purge, type PurgeOptions } from './purge.js';
import { PurgeReport } from './purge-report.js';

const DAY_MS = 86_400_000;
const AGES = { event_log: 14 * DAY_MS, event_history: 14 * DAY_MS, entity_change: 30 * DAY_MS, audit: 60 * DAY_MS };

let rig: WorkerRig;
let metrics: Metrics;
let lines: Record<string, unknown>[];
let report: PurgeReport;

beforeEach(async () => {
  rig = await WorkerRig.open();
  metrics = new Metrics();
  lines = [];
  const log = new Log(pino({ base: null }, { write: (line: string) => void lines.push(JSON.parse(line)) }));
  report = new PurgeReport(metrics, log);
});
afterEach(() => rig.close());

function purgeOf(options: Partial<PurgeOptions> = {}, unitOfWork: UnitOfWork = rig.database.unitOfWork): Purge {
  return new Purge(unitOfWork, new AgedRows(), rig.lock, rig.clock, report, {
    ...{ agesMs: AGES, everyMs: 600_000, stepRowsMax: 3, pauseMsMin: 20 },
    ...options,
  });
}

const pass = (options: Partial<PurgeOptions> = {}): Promise<boolean> => rig.drive(purgeOf(options).pass());
const metric = (): Promise<string> => metrics.registry.metrics();

async function ids(table: AgedTable | 'saga'): Promise<number[]> {
  const rows = await rig.database.query<{ id: number }>(`SELECT id FROM ${table} ORDER BY id`);
  return rows.map(({ id }) => id);
}

/** Applied events of as many entities. */
async function apply(count: number, name = 'a'): Promise<ReturnType<WorkerRig['delivery']>[]> {
  const deliveries = Array.from({ length: count }, (_, n) => rig.delivery(thingXml('latest_thing', `${name}${n}`, 1)));
  await rig.consume(...deliveries);
  return deliveries;
}

async function audit(at: number): Promise<void> {
  const sql = "INSERT INTO audit (at, actor, action, target, detail) VALUES (?, 'a', 'redrive', 't', '{}')";
  await rig.database.unitOfWork.write((tx) => tx.manager.query(sql, [at]));
}

describe('the purge', () => {
  it('deletes outcomes and their history once they are older than their age, not a millisecond before', async () => {
    await apply(7);
    await rig.clock.advance(AGES.event_log);
    await pass();
    expect(await rig.count('event_log')).toBe(7);
    await rig.clock.advance(1);
    await pass();
    expect([await rig.count('event_log'), await rig.count('event_history')]).toEqual([0, 0]);
    expect(await metric()).toContain('wecom_purged_rows_total{table="event_log"} 7');
    expect(lines).toEqual([
      expect.objectContaining({ event: 'purge.ended', rows: { event_log: 7, event_history: 7 } }),
    ]);
  });

  it('sheds a redelivery until then, as the row is there', async () => {
    const [delivery] = await apply(1);
    await rig.clock.advance(AGES.event_log);
    await pass();
    // The guard has forgotten it long ago: only the row is left.
    await rig.consume(rig.again(delivery!));
    expect(await rig.notes()).toEqual(['applied']);
  });

  it('keeps entity rows and tombstones whatever their age, and time lines and audit by ages of their own', async () => {
    await apply(2);
    await audit(rig.clock.now());
    await rig.clock.advance(AGES.entity_change);
    await pass();
    expect([await rig.count('saga'), await rig.count('entity_change'), (await ids('audit')).length]).toEqual([2, 2, 1]);
    await rig.clock.advance(1);
    await pass();
    expect([await rig.count('saga'), await rig.count('entity_change'), (await ids('audit')).length]).toEqual([2, 0, 1]);
    await rig.clock.advance(AGES.audit);
    await pass();
    expect([await rig.count('saga'), (await ids('audit')).length]).toEqual([2, 0]);
  });

  it('never deletes what waits, nor why it waits, however old', async () => {
    const statuses = ['RETRY', 'PARKED', 'DEAD', 'REDRIVEN'] as const;
    for (const status of statuses) {
      const delivery = rig.delivery(thingXml('strict_thing', status, 1));
      await rig.put(delivery, { status, laneSeq: 1 });
      const entry = { eventKey: delivery.eventKey, at: rig.clock.now(), actor: 'worker', decision: status } as const;
      const why = { ...entry, reason: 'r', generation: 0, attempt: 1 };
      await rig.database.unitOfWork.write((tx) => rig.eventLog.record(tx, [why]));
    }
    await apply(4);
    await rig.clock.advance(3_650 * DAY_MS);
    await pass();
    expect((await rig.rows()).map(({ status }) => status)).toEqual(statuses);
    expect(await rig.count('event_history')).toBe(4);
  });

  it('goes by the time of the outcome, not by the place: an old event decided today stays', async () => {
    const late = rig.delivery(thingXml('strict_thing', 'late', 1));
    const row = await rig.put(late, { status: 'DEAD', laneSeq: 1 });
    await apply(5);
    await rig.clock.advance(AGES.event_log + 1);
    await rig.database.unitOfWork.write((tx) => rig.eventLog.discard(tx, row.id, 0, rig.clock.now()));
    await pass();
    expect((await rig.rows()).map(({ status }) => status)).toEqual(['DISCARDED']);
  });

  it('deletes more rows of one millisecond than a step takes', async () => {
    await apply(20);
    await rig.clock.advance(AGES.event_log + 1);
    await pass({ stepRowsMax: 1 });
    expect([await rig.count('event_log'), await rig.count('event_history')]).toEqual([0, 0]);
  });

  it('leaves a table alone whose rows are kept for ever', async () => {
    await apply(3);
    await rig.clock.advance(3_650 * DAY_MS);
    await pass({ agesMs: { event_log: null, event_history: null, entity_change: null, audit: null } });
    expect([await rig.count('event_log'), await rig.count('event_history')]).toEqual([3, 3]);
    expect(lines).toEqual([]);
  });
});

describe('the purge beside other work', () => {
  it('loses nothing while events are applied, parked and retried', async () => {
    await apply(60);
    await rig.clock.advance(AGES.event_log + 1);
    const dead = rig.delivery(thingXml('strict_thing', 'line', 1));
    await rig.put(dead, { status: 'DEAD', laneSeq: 1 });
    const parked = Array.from({ length: 10 }, (_, n) => rig.delivery(thingXml('strict_thing', 'line', n + 2)));
    const purging = purgeOf().pass();
    const consuming = Promise.all([
      rig.consumer.consume(parked),
      rig.consumer.consume(Array.from({ length: 60 }, (_, n) => rig.delivery(thingXml('latest_thing', `b${n}`, 2)))),
    ]);
    await rig.drive(Promise.all([purging, consuming]));
    const counts = await rig.database.unitOfWork.read((tx) => rig.eventLog.counts(tx));
    expect(Object.fromEntries(counts)).toEqual({ APPLIED: 60, DEAD: 1, PARKED: 10 });
    expect(await rig.notes()).toHaveLength(120);
  });

  it('lets others write between two steps, for three times as long as a step took', async () => {
    await apply(9);
    await rig.clock.advance(AGES.event_log + 1);
    const purging = purgeOf({ pauseMsMin: 1_000 }).pass();
    const count = async (): Promise<number> => rig.count('event_log');
    for (const left of [6, 3]) {
      while ((await count()) > left) await rig.clock.settle();
      await rig.clock.advance(999);
      expect(await count()).toBe(left);
      await rig.clock.advance(1);
    }
    await rig.drive(purging);
    expect(await count()).toBe(0);
  });

  it('ends after the step under way when the process stops', async () => {
    await apply(9);
    await rig.clock.advance(AGES.event_log + 1);
    const purge = purgeOf();
    purge.start();
    while ((await rig.count('event_log')) === 9) await rig.clock.settle();
    await purge.stop(10_000);
    expect(await rig.count('event_log')).toBe(6);
    expect(await metric()).toContain('wecom_purge_passes_total{result="interrupted"} 1');
  });

  it('does nothing while another process has the lock, and stops when it loses its own', async () => {
    await apply(9);
    await rig.clock.advance(AGES.event_log + 1);
    await rig.lock.run('purge', () => pass());
    expect(await rig.count('event_log')).toBe(9);
    expect(await metric()).toContain('wecom_purge_passes_total{result="held"} 1');
    const lost: ClusterLock['run'] = async (_name, work) => ({
      ...{ kind: 'ran', isGuarded: true },
      value: await work(AbortSignal.abort()),
    });
    rig.lock.run = lost;
    await pass();
    expect(await rig.count('event_log')).toBe(9);
  });

  it('takes a step again that lost a race, and leaves it to the next pass when it loses them all', async () => {
    await apply(4);
    await rig.clock.advance(AGES.event_log + 1);
    const racing = (losses: number): UnitOfWork => {
      const { unitOfWork } = rig.database;
      let lost = 0;
      const write = <T>(work: (tx: Tx) => Promise<T>): Promise<T> => {
        lost += 1;
        return lost <= losses ? Promise.reject(new TransactionConflictError({ cause: null })) : unitOfWork.write(work);
      };
      return { write, read: unitOfWork.read.bind(unitOfWork), trouble: () => null };
    };
    await expect(rig.drive(purgeOf({}, racing(6)).pass())).rejects.toThrow('races in a row');
    expect(await rig.count('event_log')).toBe(4);
    await rig.drive(purgeOf({}, racing(5)).pass());
    expect(await rig.count('event_log')).toBe(0);
  });
});

describe('the outbox relay', () => {
  it('leaves commands to the process that has the lock', async () => {
    await rig.consume(rig.foreign('{'));
    await rig.lock.run('outbox', () => rig.relay.pass());
    expect(rig.transport.published).toEqual([]);
    await rig.relay.pass();
    expect(rig.transport.published).toHaveLength(1);
  });
});

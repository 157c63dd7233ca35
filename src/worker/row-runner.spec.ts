import { afterEach, describe, expect, it } from 'vitest';
import type { RecordedDelivery } from '../../test/support/recorded-delivery.js';
import { until } from '../../test/support/until.js';
import { note } from '../../test/support/plain-handlers.js';
import { thingXml, WorkerRig, type RigOptions } from '../../test/support/worker-rig.js';

let rig: WorkerRig;
afterEach(() => rig.close());

async function open(options: RigOptions = {}): Promise<WorkerRig> {
  return (rig = await WorkerRig.open(options));
}

const strict = (createTime: number): RecordedDelivery => rig.delivery(thingXml('strict_thing', 'a', createTime));

describe('counting a run from a row', () => {
  it('comes before the handler starts, and is committed by then', async () => {
    const seen: unknown[] = [];
    await open({
      handlers: {
        strict_thing: async ({ attempt }) => {
          const [row] = await rig.database.query<{ attempt: number; run_token: string | null }>(
            'SELECT * FROM event_log',
          );
          seen.push([attempt, row?.attempt, row?.run_token !== null]);
        },
      },
    });
    const delivery = strict(1);
    await rig.put(delivery, { status: 'RETRY', attempt: 1, laneSeq: 1, dueAt: rig.clock.now() });
    await rig.retryPass();
    expect(seen).toEqual([[2, 2, true]]);
  });

  it('bounds the runs of a handler that kills its worker: the retry consumer writes DEAD itself', async () => {
    let runs = 0;
    // What a killed process leaves: a counted row, nothing else. The lease runs out, the row shows itself again.
    await open({
      handlers: { strict_thing: () => ((runs += 1), (rig.writes.isAway = true), Promise.reject(new Error('killed'))) },
    });
    const delivery = strict(1);
    await rig.put(delivery, { status: 'REDRIVEN', attempt: 0, laneSeq: 1, dueAt: rig.clock.now() });
    for (let life = 1; life <= 6; life += 1) {
      await rig.retryPass().catch(() => undefined);
      rig.writes.isAway = false;
      await rig.clock.advance(rig.options.hideMs);
    }
    expect(runs).toBe(4);
    expect(await rig.row(delivery)).toMatchObject({
      status: 'DEAD',
      attempt: 4,
      errorCode: 'RUN_UNFINISHED',
      laneSeq: 1,
    });
    expect(await rig.count('outbox')).toBe(1);
  });

  it('that finds its own token, because the reply of its commit was lost, has succeeded', async () => {
    await open();
    const delivery = strict(1);
    await rig.put(delivery, { status: 'RETRY', attempt: 1, laneSeq: 1, dueAt: rig.clock.now() });
    rig.writes.failCommit('eventLog.count', 'reply-lost');
    await rig.retryPass();
    expect(await rig.row(delivery)).toMatchObject({ status: 'APPLIED', attempt: 2 });
    expect(await rig.notes()).toEqual(['applied']);
  });

  it('costs nothing while rows wait in their line', async () => {
    await open();
    const line = [strict(1), strict(2), strict(3)];
    await rig.put(line[0]!, { status: 'DEAD', attempt: 4, laneSeq: 1 });
    await rig.consume(...line.slice(1));
    await rig.retryFor(60_000);
    expect((await rig.rows()).map(({ attempt }) => attempt)).toEqual([4, 0, 0]);
    await rig.operator.run('discard', [(await rig.row(line[0]!))!], { actor: 'kim', reason: '' });
    await rig.retryPass();
    expect((await rig.rows()).map(({ attempt }) => attempt)).toEqual([4, 1, 1]);
  });
});

describe('a row in hand', () => {
  it('is hidden from other pickers for as long as it runs', async () => {
    const picks: number[] = [];
    await open({
      maxLifeMs: 100_000,
      handlers: { strict_thing: async ({ signal }) => rig.clock.sleep(50_000, signal) },
    });
    const delivery = strict(1);
    await rig.put(delivery, { status: 'RETRY', attempt: 1, laneSeq: 1, dueAt: rig.clock.now() });
    const run = rig.retries.pass();
    await rig.clock.advance(9_000);
    const [row] = await rig.database.query<{ due_at: number }>('SELECT * FROM event_log');
    picks.push((row?.due_at ?? 0) - rig.clock.now());
    await rig.drive(run);
    expect(picks).toEqual([22_000]);
    expect(await rig.statuses(delivery)).toEqual(['APPLIED']);
  });

  it('that another worker counted meanwhile is left to it', async () => {
    await open();
    const delivery = strict(1);
    const row = await rig.put(delivery, { status: 'RETRY', attempt: 1, laneSeq: 1, dueAt: rig.clock.now() });
    rig.acts.after('eventLog.pick', (tx) => rig.eventLog.count(tx, row, 'theirs'));
    await rig.retryPass();
    expect(await rig.row(delivery)).toMatchObject({ status: 'RETRY', attempt: 2, runToken: 'theirs' });
    expect(await rig.notes()).toEqual([]);
  });

  it.each(['discard', 'attempt', 'generation'] as const)(
    'that was moved meanwhile (%s) is left, and its effect rolled back',
    async (how) => {
      await open();
      const delivery = strict(1);
      await rig.put(delivery, { status: 'RETRY', attempt: 1, laneSeq: 1, dueAt: rig.clock.now() });
      const change = {
        discard: "status = 'DISCARDED'",
        attempt: 'attempt = attempt + 1',
        generation: 'generation = generation + 1',
      }[how];
      // Committed right after this run was counted, before its transaction begins.
      rig.acts.after('eventLog.count', async () =>
        rig.writes.beforeNextWrite(() =>
          rig.database.unitOfWork.write((tx) => tx.manager.query(`UPDATE event_log SET ${change}`)),
        ),
      );
      await rig.retryPass();
      expect(await rig.notes()).toEqual([]);
      expect(await rig.count('saga')).toBe(0);
      const row = await rig.row(delivery);
      expect(row?.status).toBe(how === 'discard' ? 'DISCARDED' : 'RETRY');
      expect(rig.guard.callsFor(delivery.guardKey)).toEqual(['acquire', 'start', 'release', 'release']);
    },
  );
});

describe('a stop that cannot wait', () => {
  it('rolls the run of a row back at the limit, and leaves the row for the next start', async () => {
    await open({ handlers: { strict_thing: (context) => note(context).then(() => new Promise(() => undefined)) } });
    const delivery = strict(1);
    await rig.put(delivery, { status: 'REDRIVEN', attempt: 0, laneSeq: 1, dueAt: rig.clock.now() });
    rig.retries.start();
    await until(async () => (await rig.row(delivery))?.attempt === 1);
    const begun = rig.clock.now();
    await rig.drive(rig.retries.stop(1_000));
    expect(rig.clock.now() - begun).toBeLessThan(3_000);
    expect(await rig.row(delivery)).toMatchObject({ status: 'REDRIVEN', attempt: 1 });
    expect(await rig.notes()).toEqual([]);
  });
});

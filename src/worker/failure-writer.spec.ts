import { afterEach, describe, expect, it } from 'vitest';
import { OUTCOMES, WAITING } from '../event-log/status.js';
import { UnrecoverableError } from '../saga/unrecoverable-error.js';
import type { PlainHandle } from '../../test/support/plain-handlers.js';
import { thingXml, WorkerRig } from '../../test/support/worker-rig.js';

let rig: WorkerRig;
afterEach(() => rig.close());

/** A handler that fails for good, after which something happens before the failure row is written. */
async function openFailing(meanwhile: () => Promise<unknown>): Promise<void> {
  const handler: PlainHandle = () => {
    rig.writes.beforeNextWrite(meanwhile);
    return Promise.reject(new UnrecoverableError('no'));
  };
  rig = await WorkerRig.open({ handlers: { strict_thing: handler } });
}

describe('the failure row of a message', () => {
  it.each([...OUTCOMES, ...WAITING])('is an insert only: %s, written meanwhile, stands', async (status) => {
    let meanwhile = (): Promise<unknown> => Promise.resolve();
    await openFailing(() => meanwhile());
    const delivery = rig.delivery(thingXml('strict_thing', 'a', 1));
    meanwhile = () => rig.put(delivery, { status, attempt: 7, laneSeq: 1 });
    await rig.consume(delivery);
    expect(await rig.row(delivery)).toMatchObject({ status, attempt: 7, errorCode: null });
    expect(await rig.count('outbox')).toBe(0);
    expect(delivery.settledCount).toBe(1);
    const isOutcome = (OUTCOMES as readonly string[]).includes(status);
    expect(rig.guard.callsFor(delivery.guardKey).at(-1)).toBe(isOutcome ? 'complete' : 'release');
  });

  it('takes its place in the line', async () => {
    let meanwhile = (): Promise<unknown> => Promise.resolve();
    await openFailing(() => meanwhile());
    const [first, second] = [
      rig.delivery(thingXml('strict_thing', 'a', 1)),
      rig.delivery(thingXml('strict_thing', 'a', 2)),
    ];
    meanwhile = () => rig.put(first, { status: 'PARKED', laneSeq: 5 });
    await rig.consume(second);
    expect(await rig.row(second)).toMatchObject({ status: 'DEAD', laneSeq: 6 });
  });
});

describe('the failure of a run from a row', () => {
  const changes = {
    'an outcome': "status = 'APPLIED'",
    'a dead letter': "status = 'DEAD'",
    'another generation': 'generation = generation + 1',
    'another attempt': 'attempt = attempt + 1',
  };

  it.each(Object.entries(changes))('leaves what stands there: %s', async (_, change) => {
    await openFailing(() => rig.database.unitOfWork.write((tx) => tx.manager.query(`UPDATE event_log SET ${change}`)));
    const delivery = rig.delivery(thingXml('strict_thing', 'a', 1));
    await rig.put(delivery, { status: 'RETRY', attempt: 1, laneSeq: 1, dueAt: rig.clock.now() });
    await rig.retryPass();
    const row = await rig.row(delivery);
    expect(row?.errorCode).toBeNull();
    expect(row?.status).toBe(/status = '(.*)'/.exec(change)?.[1] ?? 'RETRY');
    // Nothing else of that transaction is written either.
    expect(await rig.count('outbox')).toBe(0);
    expect(await rig.count('event_history')).toBe(0);
  });

  it('keeps the place in the line', async () => {
    await openFailing(() => Promise.resolve());
    const delivery = rig.delivery(thingXml('strict_thing', 'a', 1));
    await rig.put(delivery, { status: 'PARKED', laneSeq: 3, dueAt: rig.clock.now() });
    await rig.retryPass();
    expect(await rig.row(delivery)).toMatchObject({ status: 'DEAD', attempt: 1, laneSeq: 3 });
    expect(await rig.count('outbox')).toBe(1);
  });

  it('whose commit got no reply is not written twice', async () => {
    await openFailing(() => Promise.resolve());
    const delivery = rig.delivery(thingXml('strict_thing', 'a', 1));
    await rig.put(delivery, { status: 'RETRY', attempt: 1, laneSeq: 1, dueAt: rig.clock.now() });
    rig.writes.failCommit('outbox.add', 'reply-lost');
    await rig.retryFor(5_000);
    expect(await rig.row(delivery)).toMatchObject({ status: 'DEAD', attempt: 2 });
    expect(await rig.count('outbox')).toBe(1);
  });
});

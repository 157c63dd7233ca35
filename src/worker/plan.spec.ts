import { afterEach, describe, expect, it } from 'vitest';
import { defineEntityType } from '../entity-types/entity-type.js';
import { WAITING } from '../event-log/status.js';
import { approvalMachine } from '../handlers/approval/approval-machine.js';
import { customerGroupMachine } from '../handlers/customer-group/customer-group-machine.js';
import { customerRelationMachine } from '../handlers/customer-relation/customer-relation-machine.js';
import { memberMachine } from '../handlers/member/member-machine.js';
import { approvalXml, customerXml, groupXml, memberXml } from '../../test/support/texts.js';
import { STRICT_THING, thingXml, WorkerRig, type RigOptions } from '../../test/support/worker-rig.js';

let rig: WorkerRig;
afterEach(() => rig.close());

async function open(options: RigOptions = {}): Promise<WorkerRig> {
  return (rig = await WorkerRig.open(options));
}

describe('strict order', () => {
  it.each(WAITING)('parks a message behind any other row of its entity: %s', async (status) => {
    await open();
    const first = rig.delivery(thingXml('strict_thing', 'a', 1));
    await rig.put(first, { status, attempt: 1, laneSeq: 1, dueAt: rig.clock.now() + 60_000 });
    const [second, third] = [
      rig.delivery(thingXml('strict_thing', 'a', 2)),
      rig.delivery(thingXml('strict_thing', 'a', 3)),
    ];
    const other = rig.delivery(thingXml('strict_thing', 'b', 2));
    await rig.consume(second, third, other);
    expect(await rig.statuses(second, third, other)).toEqual(['PARKED', 'PARKED', 'APPLIED']);
    expect((await rig.rows()).map(({ laneSeq }) => laneSeq)).toEqual([1, 2, 3, null]);
    expect(await rig.row(second)).toMatchObject({ attempt: 0 });
    expect(await rig.notes(second)).toEqual([]);
    expect(second.isSettled && third.isSettled).toBe(true);
    expect(rig.guard.callsFor(second.guardKey)).toEqual(['acquire', 'start', 'release']);
  });

  it('parks behind a row of this very transaction', async () => {
    await open();
    const [first, second] = [
      rig.delivery(thingXml('strict_thing', 'a', 1)),
      rig.delivery(thingXml('strict_thing', 'a', 2)),
    ];
    await rig.leaveUnfinishedStart(first);
    await rig.consume(first, second);
    expect(await rig.statuses(first, second)).toEqual(['RETRY', 'PARKED']);
    expect(rig.writes.writes.filter((calls) => calls.has('eventLog.insert'))).toHaveLength(1);
    expect(await rig.notes()).toEqual([]);
  });

  it('parks nothing of a latest entity', async () => {
    await open();
    const [first, second] = [
      rig.delivery(thingXml('latest_thing', 'a', 1)),
      rig.delivery(thingXml('latest_thing', 'a', 2)),
    ];
    await rig.put(first, { status: 'DEAD', attempt: 1 });
    await rig.consume(second);
    expect(await rig.statuses(first, second)).toEqual(['DEAD', 'APPLIED']);
  });
});

describe('the time check', () => {
  it('lets only APPLIED move the last event time and rank, together', async () => {
    await open({ machines: { sys_approval_change: approvalMachine } });
    const texts = [approvalXml('1', 2, 10), approvalXml('1', 1, 20), approvalXml('1', 4, 9), approvalXml('1', 6, 15)];
    const deliveries = texts.map((text) => rig.delivery(text));
    for (const delivery of deliveries) await rig.consume(delivery);
    expect(await rig.statuses(...deliveries)).toEqual(['APPLIED', 'REJECTED', 'STALE', 'APPLIED']);
    expect(await rig.entity('1')).toMatchObject({ state: 'UNDONE', last_event_time: 15, last_rank: 3, version: 2 });
  });

  it('takes equal seconds in order of rank, and what is equal in both by the machine', async () => {
    await open();
    const ranks = [1, 2, 1, 2];
    const deliveries = ranks.map((rank, index) =>
      rig.delivery(thingXml('latest_thing', 'a', 7, { rank, what: String(index) })),
    );
    await rig.consume(...deliveries);
    expect(await rig.statuses(...deliveries)).toEqual(['APPLIED', 'APPLIED', 'STALE', 'APPLIED']);
    expect(await rig.notes()).toHaveLength(3);
  });

  it('marks an entity whose second holds an adding and an ending kind, whichever came first', async () => {
    await open({ machines: { change_external_contact: customerRelationMachine } });
    const [add, end] = ['add_external_contact', 'del_follow_user'] as const;
    await rig.consume(rig.delivery(customerXml(add, 'in-order', 5)), rig.delivery(customerXml(end, 'in-order', 5)));
    await rig.consume(rig.delivery(customerXml(end, 'turned', 5)));
    const late = rig.delivery(customerXml(add, 'turned', 5));
    await rig.consume(late);
    await rig.consume(rig.delivery(customerXml(add, 'apart', 5)), rig.delivery(customerXml(end, 'apart', 6)));
    expect(await rig.statuses(late)).toEqual(['STALE']);
    const marks = ['in-order', 'turned', 'apart'].map(async (id) => (await rig.entity(`%${id}`))?.unconfirmed);
    expect(await Promise.all(marks)).toEqual([1, 1, 0]);
  });

  it('marks the doubt of a stale event on an entity that was sure, and applies nothing', async () => {
    await open({ machines: { change_external_contact: customerRelationMachine } });
    const [add, end, late] = [
      rig.delivery(customerXml('add_external_contact', 'c', 4)),
      rig.delivery(customerXml('del_external_contact', 'c', 5)),
      rig.delivery(customerXml('add_half_external_contact', 'c', 5)),
    ];
    await rig.consume(add, end);
    expect(await rig.entity('%c')).toMatchObject({ unconfirmed: 0, version: 2 });
    await rig.consume(late);
    expect(await rig.statuses(late)).toEqual(['STALE']);
    expect(await rig.entity('%c')).toMatchObject({ unconfirmed: 1, version: 2, state: 'DELETED_BY_USER' });
  });

  it('applies the deletion of an object never seen, and its tombstone stays', async () => {
    await open({ machines: { change_external_chat: customerGroupMachine } });
    const [dismiss, create, late] = [
      rig.delivery(groupXml('dismiss', 'g', 10)),
      rig.delivery(groupXml('create', 'g', 9)),
      rig.delivery(groupXml('create', 'g', 11)),
    ];
    await rig.consume(dismiss, create, late);
    expect(await rig.statuses(dismiss, create, late)).toEqual(['APPLIED', 'STALE', 'REJECTED']);
    expect(await rig.entity('g')).toMatchObject({ state: 'DISSOLVED', tombstone: 1, last_event_time: 10 });
  });
});

describe('the deadline of a type', () => {
  const welcome = defineEntityType({
    ...STRICT_THING,
    name: 'welcome',
    events: ['latest_thing_welcome'],
    deadlineMs: 20_000,
  });
  const text = (createTime: number, what = ''): string =>
    thingXml('latest_thing', 'w', createTime, { what }).replace('latest_thing', 'latest_thing_welcome');

  it('ends an event EXPIRED once it has passed, and nothing runs', async () => {
    await open({ entityTypes: [welcome] });
    const second = Math.floor(rig.clock.now() / 1_000);
    const [late, timely] = [rig.delivery(text(second - 21)), rig.delivery(text(second - 20))];
    await rig.consume(late, timely);
    expect(await rig.statuses(late, timely)).toEqual(['EXPIRED', 'APPLIED']);
    expect(await rig.notes(late)).toEqual([]);
    expect(rig.guard.callsFor(late.guardKey).at(-1)).toBe('complete');
  });

  it('is looked at after the waiting rows, and again by the own row', async () => {
    await open({ entityTypes: [welcome] });
    const second = Math.floor(rig.clock.now() / 1_000);
    const [first, late] = [rig.delivery(text(second, 'first')), rig.delivery(text(second - 60))];
    const row = await rig.put(first, { status: 'DEAD', attempt: 1, laneSeq: 1 });
    await rig.consume(late);
    expect(await rig.statuses(late)).toEqual(['PARKED']);
    await rig.operator.run('discard', [row], { actor: 'kim', reason: '' });
    await rig.retryPass();
    expect(await rig.statuses(late)).toEqual(['EXPIRED']);
  });
});

describe('a handler start that never ended', () => {
  it('makes its message a RETRY of attempt 1 instead of a run', async () => {
    await open();
    const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
    await rig.leaveUnfinishedStart(delivery);
    await rig.consume(delivery);
    expect(await rig.notes()).toEqual([]);
    expect(await rig.row(delivery)).toMatchObject({ status: 'RETRY', attempt: 1, errorCode: 'RUN_UNFINISHED' });
    expect(delivery.settledCount).toBe(1);
    expect(rig.guard.callsFor(delivery.guardKey).at(-1)).toBe('release');
    await rig.retryFor(2_000);
    expect(await rig.row(delivery)).toMatchObject({ status: 'APPLIED', attempt: 2 });
  });
});

describe('a further entity', () => {
  it('is in doubt when the event comes too late for it, and its second holds the opposite', async () => {
    await open({ machines: { change_contact: memberMachine } });
    const texts = [
      memberXml('create_user', 'b', 2),
      memberXml('delete_user', 'b', 3),
      memberXml('create_user', 'a', 2),
      memberXml('update_user', 'a', 3, '<NewUserID>b</NewUserID>'),
    ];
    for (const text of texts.slice(0, 3)) await rig.consume(rig.delivery(text));
    expect(await rig.entity('b')).toMatchObject({ state: 'DELETED', unconfirmed: 0 });
    await rig.consume(rig.delivery(texts[3] ?? ''));
    expect(await rig.entity('b')).toMatchObject({ state: 'DELETED', version: 2, unconfirmed: 1 });
    expect(await rig.entity('a')).toMatchObject({ state: 'RENAMED' });
  });
});

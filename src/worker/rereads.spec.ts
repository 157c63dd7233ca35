import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { MemoryWecomApi } from '../../test/support/memory-wecom-api.js';
import type { RecordedDelivery } from '../../test/support/recorded-delivery.js';
import { customerXml, memberXml } from '../../test/support/texts.js';
import { WorkerRig, type RigOptions } from '../../test/support/worker-rig.js';
import { CustomerRelationHandler } from '../handlers/customer-relation/customer-relation.handler.js';
import { customerRelationMachine } from '../handlers/customer-relation/customer-relation-machine.js';
import { MemberHandler } from '../handlers/member/member.handler.js';
import { memberMachine } from '../handlers/member/member-machine.js';
import { WecomApiRefusedError, WecomApiUnavailableError } from '../wecom-api/wecom-api.js';

const ADD = 'add_external_contact';
const LEAVE = 'del_external_contact';
let rig: WorkerRig;
let api: MemoryWecomApi;
beforeEach(() => void (api = new MemoryWecomApi(['app'])));
afterEach(() => rig.close());

async function open(options: RigOptions = {}): Promise<WorkerRig> {
  return (rig = await WorkerRig.open({
    machines: { change_external_contact: customerRelationMachine, change_contact: memberMachine },
    rereaders: {
      change_external_contact: new CustomerRelationHandler(api).rereader,
      change_contact: new MemberHandler(api).rereader,
    },
    ...options,
  }));
}

/** This second, by the rig's clock. */
const second = (): number => Math.floor(rig.clock.now() / 1000);
const customer = (kind: string, at: number): RecordedDelivery => rig.delivery(customerXml(kind, 'c', at));

/** Two kinds in one second, delivered in this order. */
async function inOneSecond(...kinds: string[]): Promise<RecordedDelivery[]> {
  const at = second();
  const deliveries = kinds.map((kind) => customer(kind, at));
  await rig.consume(...deliveries);
  return deliveries;
}

const entity = (): Promise<unknown> => rig.entity('ZhangSan%2Fc');

describe('a second that rank cannot settle', () => {
  it.each([
    [[ADD, LEAVE], true, 'STALE', 'ACTIVE'],
    [[ADD, LEAVE], false, 'APPLIED', 'DELETED_BY_USER'],
    [[LEAVE, ADD], true, 'APPLIED', 'ACTIVE'],
    [[LEAVE, ADD], false, 'STALE', 'DELETED_BY_USER'],
  ])('%j is settled by re-reading: there %s, so the second one is %s', async (kinds, isThere, status, state) => {
    await open();
    if (isThere) api.relations.add('ZhangSan/c');
    // A predecessor of its own second, so that nothing else is in doubt.
    await rig.consume(customer(ADD, second() - 100));
    const [first, last] = (await inOneSecond(...kinds)) as [RecordedDelivery, RecordedDelivery];
    expect(await rig.statuses(first, last)).toEqual(['APPLIED', 'RETRY']);
    expect(last.isSettled).toBe(true);
    await rig.retryFor(6_000);
    expect(await rig.statuses(last)).toEqual([status]);
    expect(api.asked).toEqual(['app: ZhangSan/c']);
    expect(await entity()).toMatchObject({ state, last_rank: status === 'STALE' && isThere ? 2 : 4 });
  });

  it('is confirmed by what was read', async () => {
    await open();
    api.relations.add('ZhangSan/c');
    await rig.consume(customer(ADD, second() - 100));
    await inOneSecond(LEAVE, ADD);
    await rig.retryFor(6_000);
    expect(await entity()).toMatchObject({ state: 'ACTIVE', unconfirmed: 0 });
  });

  it('is not asked about before three seconds have passed, and waiting costs no attempt', async () => {
    await open();
    await rig.consume(customer(ADD, second() - 100));
    const [, last] = (await inOneSecond(ADD, LEAVE)) as [RecordedDelivery, RecordedDelivery];
    expect(await rig.row(last)).toMatchObject({ attempt: 0, errorCode: 'REREAD_DUE', dueAt: second() * 1000 + 3_000 });
    await rig.retryFor(2_500);
    expect(api.asked).toEqual([]);
    await rig.retryFor(2_000);
    expect(api.asked).toHaveLength(1);
    expect(await rig.row(last)).toMatchObject({ status: 'APPLIED', attempt: 1 });
  });

  it('is not asked about where only the callback knows: the customer’s own deletion wins, unconfirmed', async () => {
    await open();
    const deliveries = await inOneSecond('del_follow_user', ADD);
    expect(await rig.statuses(...deliveries)).toEqual(['APPLIED', 'STALE']);
    expect(await entity()).toMatchObject({ state: 'DELETED_BY_CUSTOMER', unconfirmed: 1 });
  });

  it('goes by rank, unconfirmed, where the app has no API', async () => {
    api = new MemoryWecomApi(['another']);
    await open();
    expect(await rig.statuses(...(await inOneSecond(ADD, LEAVE)))).toEqual(['APPLIED', 'APPLIED']);
    expect(await entity()).toMatchObject({ state: 'DELETED_BY_USER', unconfirmed: 1 });
  });
});

describe('an answer', () => {
  it('is not used for an entity that moved while the question was on its way', async () => {
    await open();
    api.relations.add('ZhangSan/c');
    await rig.consume(customer(ADD, second() - 100));
    const [, last] = (await inOneSecond(ADD, LEAVE)) as [RecordedDelivery, RecordedDelivery];
    api.onQuestion = async () => {
      api.onQuestion = async () => undefined;
      // The member left: the answer to come was given before.
      await rig.database.unitOfWork.write(({ manager }) => manager.query('UPDATE saga SET version = version + 1'));
      api.relations.clear();
    };
    await rig.retryFor(12_000);
    expect(api.asked).toHaveLength(2);
    expect(await rig.statuses(last)).toEqual(['APPLIED']);
    expect(await entity()).toMatchObject({ state: 'DELETED_BY_USER' });
  });

  it('that never fits does not use up the attempts: the rank decides in the end', async () => {
    await open();
    const [, last] = (await inOneSecond(ADD, LEAVE)) as [RecordedDelivery, RecordedDelivery];
    api.onQuestion = async () => {
      await rig.database.unitOfWork.write(({ manager }) => manager.query('UPDATE saga SET version = version + 1'));
    };
    await rig.retryFor(120_000);
    expect(await rig.statuses(last)).toEqual(['APPLIED']);
    expect(await entity()).toMatchObject({ state: 'DELETED_BY_USER', unconfirmed: 1 });
  });

  it('is fetched outside of any transaction', async () => {
    await open();
    await inOneSecond(ADD, LEAVE);
    let writes = 0;
    // The one writer of SQLite is free: inside a transaction this would wait for itself.
    api.onQuestion = () => rig.database.unitOfWork.write(() => Promise.resolve(void (writes += 1)));
    await rig.retryFor(6_000);
    expect(writes).toBe(1);
  });
});

describe('an API', () => {
  const away = (count: number): Error[] => Array.from({ length: count }, () => new WecomApiUnavailableError('busy'));

  it('that is away puts the event off without an attempt', async () => {
    await open();
    const [, last] = (await inOneSecond(ADD, LEAVE)) as [RecordedDelivery, RecordedDelivery];
    api.failures.push(...away(20));
    await rig.retryFor(60_000);
    expect(await rig.row(last)).toMatchObject({ status: 'RETRY', attempt: 0 });
    await rig.retryFor(60_000);
    expect(await rig.row(last)).toMatchObject({ status: 'APPLIED', attempt: 1 });
    expect(api.asked).toHaveLength(21);
  });

  it('that stays away is not waited for for ever', async () => {
    await open({ worker: { rereadPatienceMs: 30_000 } });
    const [, last] = (await inOneSecond(ADD, LEAVE)) as [RecordedDelivery, RecordedDelivery];
    api.failures.push(...away(1_000));
    await rig.retryFor(40_000);
    expect(await rig.statuses(last)).toEqual(['APPLIED']);
    expect(await entity()).toMatchObject({ state: 'DELETED_BY_USER', unconfirmed: 1 });
  });

  it('that refuses is not asked again: the rank decides at once', async () => {
    await open();
    const [, last] = (await inOneSecond(ADD, LEAVE)) as [RecordedDelivery, RecordedDelivery];
    api.failures.push(new WecomApiRefusedError('app', 48_002));
    await rig.retryFor(6_000);
    expect(api.asked).toHaveLength(1);
    expect(await rig.statuses(last)).toEqual(['APPLIED']);
    expect(await entity()).toMatchObject({ state: 'DELETED_BY_USER', unconfirmed: 1 });
  });

  it('that is away holds up a strict entity, whose later events park and then follow', async () => {
    await open();
    const at = second();
    const events = [
      rig.delivery(memberXml('create_user', 'a', at)),
      rig.delivery(memberXml('delete_user', 'a', at)),
      rig.delivery(memberXml('create_user', 'a', at + 1)),
    ];
    api.failures.push(...away(2));
    await rig.consume(...events);
    expect(await rig.statuses(...events)).toEqual(['APPLIED', 'RETRY', 'PARKED']);
    await rig.retryFor(30_000);
    expect(await rig.statuses(...events)).toEqual(['APPLIED', 'APPLIED', 'APPLIED']);
    expect(await rig.entity('a')).toMatchObject({ state: 'PRESENT', unconfirmed: 0, version: 3 });
  });
});

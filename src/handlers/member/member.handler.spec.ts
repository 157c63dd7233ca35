import { afterEach, describe, expect, it } from 'vitest';
import { MemoryWecomApi } from '../../../test/support/memory-wecom-api.js';
import { memberXml, suiteMemberXml } from '../../../test/support/texts.js';
import { WorkerRig } from '../../../test/support/worker-rig.js';
import { MemberHandler } from './member.handler.js';
import { memberMachine } from './member-machine.js';

let rig: WorkerRig;
afterEach(() => rig.close());

/** Each text is delivered by itself, in this order. */
async function play(...texts: string[]): Promise<string[]> {
  const handler = new MemberHandler(new MemoryWecomApi([]));
  rig = await WorkerRig.open({
    handlers: { change_contact: (context, event) => handler.handle(event, context) },
    machines: { change_contact: memberMachine },
  });
  const statuses: string[] = [];
  for (const text of texts) {
    const delivery = rig.delivery(text);
    await rig.consume(delivery);
    statuses.push((await rig.statuses(delivery))[0] ?? 'none');
  }
  return statuses;
}

async function members(): Promise<Record<string, unknown>> {
  const rows = await rig.database.query<Record<string, unknown> & { user_id: string }>(
    'SELECT * FROM member ORDER BY user_id',
  );
  return Object.fromEntries(rows.map(({ entity_key: _key, user_id: id, ...row }) => [id, row]));
}

const create = (id: string, at: number, name = 'Li', department = '1,2'): string =>
  memberXml('create_user', id, at, `<Name>${name}</Name><Department>${department}</Department><Status>4</Status>`);
const rename = (from: string, to: string, at: number, extra = ''): string =>
  memberXml('update_user', from, at, `<NewUserID>${to}</NewUserID>${extra}`);

describe('a member', () => {
  it('keeps what an update does not name', async () => {
    await play(create('a', 1), memberXml('update_user', 'a', 2, '<Status>1</Status>'));
    expect(await members()).toMatchObject({
      a: { status: 'PRESENT', name: 'Li', department: '1,2', wecom_status: '1', incarnation: 1, effect_count: 2 },
    });
  });

  it('is not brought back by an update, whatever its time', async () => {
    const late = memberXml('update_user', 'a', 2, '<Name>late</Name>');
    const newer = memberXml('update_user', 'a', 9, '<Name>newer</Name>');
    const statuses = await play(create('a', 1), memberXml('delete_user', 'a', 3), late, newer);
    expect(statuses).toEqual(['APPLIED', 'APPLIED', 'STALE', 'APPLIED']);
    expect(await members()).toMatchObject({ a: { status: 'DELETED', name: 'Li' } });
    expect(await rig.entity('a')).toMatchObject({ state: 'DELETED', unconfirmed: 1, tombstone: 1 });
  });

  it('begins anew when hired again, and inherits nothing', async () => {
    const again = memberXml('create_user', 'a', 5, '<Name>Wang</Name>');
    await play(create('a', 1), memberXml('delete_user', 'a', 3), again);
    expect(await members()).toMatchObject({
      a: { status: 'PRESENT', name: 'Wang', department: null, incarnation: 2, effect_count: 3 },
    });
    expect(await rig.entity('a')).toMatchObject({ state: 'PRESENT', unconfirmed: 0, tombstone: 0 });
  });

  it('of a third-party suite is the same, in the tenant’s corp', async () => {
    const statuses = await play(suiteMemberXml('create_user', 'a', 1, '<Name>Li</Name>'));
    expect(statuses).toEqual(['APPLIED']);
    expect(await rig.database.query('SELECT entity_key, name FROM member')).toEqual([
      { entity_key: 'app/wwtenant/member/a', name: 'Li' },
    ]);
  });

  it('without a UserID is a dead letter', async () => {
    expect(await play(memberXml('create_user', '', 1))).toEqual(['DEAD']);
  });
});

describe('a rename', () => {
  it('ends the old id, with a pointer, and carries on under the new one', async () => {
    const statuses = await play(create('a', 1), rename('a', 'b', 2, '<Status>1</Status>'));
    expect(statuses).toEqual(['APPLIED', 'APPLIED']);
    expect(await members()).toMatchObject({
      a: { status: 'RENAMED', renamed_to: 'b' },
      b: { status: 'PRESENT', renamed_to: null, name: 'Li', department: '1,2', wecom_status: '1' },
    });
    expect(await rig.entity('a')).toMatchObject({ state: 'RENAMED', tombstone: 1, last_event_time: 2 });
    expect(await rig.entity('b')).toMatchObject({ state: 'PRESENT', last_event_time: 2, last_rank: 1, unconfirmed: 0 });
    expect(await rig.count('entity_change')).toBe(3);
  });

  it('does not bring back a new id that has been deleted since', async () => {
    await play(create('a', 1), memberXml('delete_user', 'b', 3), rename('a', 'b', 2));
    expect(await members()).toMatchObject({ a: { status: 'RENAMED' }, b: { status: 'DELETED', name: null } });
    expect(await rig.entity('b')).toMatchObject({ state: 'DELETED', last_event_time: 3 });
  });

  it('fills in what a newer update of the new id did not tell', async () => {
    await play(create('a', 1), memberXml('update_user', 'b', 3, '<Name>New</Name>'), rename('a', 'b', 2));
    expect(await members()).toMatchObject({ b: { status: 'PRESENT', name: 'New', department: '1,2' } });
  });

  it('that comes after the old id was given to somebody else still brings the new one into being', async () => {
    const statuses = await play(create('a', 5, 'Other'), rename('a', 'b', 2));
    expect(statuses).toEqual(['APPLIED', 'APPLIED']);
    expect(await members()).toMatchObject({
      a: { status: 'PRESENT', name: 'Other', effect_count: 1 },
      b: { status: 'PRESENT', name: null },
    });
    expect(await rig.entity('a')).toMatchObject({ state: 'PRESENT', last_event_time: 5, version: 1 });
  });

  it('that is stale for both ids is STALE and runs no handler', async () => {
    const statuses = await play(create('a', 5), create('b', 5), rename('a', 'b', 2));
    expect(statuses).toEqual(['APPLIED', 'APPLIED', 'STALE']);
  });

  it('to the id that it has is an update', async () => {
    await play(create('a', 1), rename('a', 'a', 2, '<Name>New</Name>'));
    expect(await members()).toEqual({ a: expect.objectContaining({ status: 'PRESENT', name: 'New' }) as unknown });
  });
});

import { Get } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AdminController } from '../../src/admin/admin-controller.decorator.js';
import type { AdminBrowser } from '../support/admin-browser.js';
import { AdminRig } from '../support/admin-rig.js';
import { approvalXml } from '../support/texts.js';
import { until } from '../support/until.js';
import { PASSWORD, statusOf, visitorsOf } from '../support/visitors.js';

const OTHER = 'another long pass phrase';
const TEXT = approvalXml('202611300001', 1, 1_796_000_000);

let rig: AdminRig;
let root: AdminBrowser;
const { browser, machine, user, audited } = visitorsOf(() => rig);

beforeEach(async () => {
  rig = await AdminRig.start();
  root = machine();
});
afterEach(() => rig.stop());

describe('accounts', () => {
  it('are made, changed and deleted by administrators, each of it audited', async () => {
    const made = await root.call('POST', 'users', {
      ...{ name: 'Åsa.张', role: 'viewer', permissions: [], password: PASSWORD },
    });
    expect(made.json).toEqual({
      ...{ name: 'Åsa.张', role: 'viewer', permissions: [], disabled: false, lastLoginAt: null, lockedUntil: null },
      createdAt: expect.any(Number),
    });
    const path = `users/${encodeURIComponent('Åsa.张')}`;
    const changed = await root.call('PATCH', path, { role: 'operator', permissions: ['payload'], password: OTHER });
    expect(changed.json).toMatchObject({ role: 'operator', permissions: ['payload'] });
    const visitor = browser();
    await visitor.login('Åsa.张', OTHER);
    expect((await root.call('GET', 'users')).json.items[0].lastLoginAt).toBeGreaterThan(Date.now() - 60_000);
    expect(await statusOf(root.call('DELETE', path))).toBe(204);
    expect(await statusOf(visitor.call('GET', 'summary'))).toBe(401);
    const entries = [
      ...(await audited('user.create')),
      ...(await audited('user.change')),
      ...(await audited('user.delete')),
    ];
    expect(entries.map(({ actor, target }) => [actor, target])).toEqual(Array(3).fill(['admin', 'user:Åsa.张']));
    expect(JSON.stringify(entries)).not.toContain(OTHER);
    expect(entries[1].detail).toMatchObject({ role: 'operator', password: 'changed', address: '127.0.0.1' });
  });

  it.each([
    ['a name with a colon', { name: 'token:x' }],
    ['a name with a blank', { name: 'a b' }],
    ['no name', { name: '' }],
    ['a role that is none', { role: 'root' }],
    ['a permission that is none', { permissions: ['everything'] }],
    ['a short password', { password: 'only eleven' }],
    ['a password of one letter', { password: 'aaaaaaaaaaaaaaaa' }],
    ['a password that is the name', { password: 'newcomernewcomer' }],
    ['a field that nobody knows', { isRoot: true }],
  ])('are not made with %s', async (_what, wrong) => {
    const body = { name: 'newcomer', role: 'viewer', permissions: [], password: PASSWORD, ...wrong };
    const { status, json } = await root.call('POST', 'users', body);
    expect([status, Array.isArray(json.message)]).toEqual([400, true]);
  });

  it('are found by the longest name of any script', async () => {
    const name = '张'.repeat(64);
    await user(name, 'viewer');
    const { status, json } = await root.call('PATCH', `users/${encodeURIComponent(name)}`, { disabled: true });
    expect([status, json.disabled]).toEqual([200, true]);
  });

  it.each([{ role: null }, { permissions: null }, { disabled: null }, { password: null }, { unlock: 'yes' }])(
    'are not changed to %j',
    async (change) => {
      await user('anna', 'viewer');
      expect(await statusOf(root.call('PATCH', 'users/anna', change))).toBe(400);
    },
  );

  it('keep one administrator, whoever asks', async () => {
    const anna = await user('anna', 'admin');
    for (const change of [{ role: 'operator' }, { disabled: true }])
      expect(await statusOf(anna.call('PATCH', 'users/anna', change))).toBe(409);
    expect(await statusOf(root.call('DELETE', 'users/anna'))).toBe(409);
    expect(
      await statusOf(root.call('POST', 'users', { name: 'anna', role: 'viewer', permissions: [], password: OTHER })),
    ).toBe(409);
    await user('bert', 'admin');
    expect(await statusOf(anna.call('DELETE', 'users/anna'))).toBe(204);
    expect(await statusOf(anna.call('GET', 'session'))).toBe(401);
  });
});

describe('tokens', () => {
  it('are shown once, name who acts, and end when they are revoked', async () => {
    const anna = await user('anna', 'admin');
    const expiresAt = Date.now() + 3_600_000;
    const { json } = await anna.call('POST', 'tokens', { name: 'ci', role: 'operator', permissions: [], expiresAt });
    const { token, ...view } = json;
    expect(token).toMatch(/^wcg_[A-Za-z0-9]{43}$/);
    expect(view).toMatchObject({ name: 'ci', createdBy: 'anna', expiresAt, lastUsedAt: null, revokedAt: null });
    const list = await anna.call('GET', 'tokens');
    expect(list.json).toEqual({ items: [view] });
    await rig.put([TEXT], { status: 'DEAD', errorCode: 'E', errorMessage: 'no' });
    const ci = machine(token);
    const [event] = (await ci.call('GET', 'events')).json.items;
    await ci.call('POST', 'dead-letters/discard', { items: [{ id: event.id, generation: 0 }] });
    expect((await audited('discard'))[0]).toMatchObject({ actor: 'token:ci' });
    expect(await statusOf(anna.call('DELETE', `tokens/${view.id}`))).toBe(204);
    expect(await statusOf(ci.call('GET', 'events'))).toBe(401);
    expect((await anna.call('GET', 'tokens')).json.items[0].revokedAt).toBeGreaterThan(0);
    expect((await audited('token.create'))[0]).toMatchObject({ actor: 'anna', target: `token:${view.id}` });
  });

  it('end by themselves, and are not made for the past', async () => {
    const make = (expiresAt: unknown) =>
      root.call('POST', 'tokens', { name: 'ci', role: 'viewer', permissions: [], expiresAt });
    for (const wrong of [undefined, Date.now() - 1, 'tomorrow', 1.5]) expect((await make(wrong)).status).toBe(400);
    const { json } = await make(Date.now() + 1_000);
    const ci = machine(json.token);
    expect(await statusOf(ci.call('GET', 'summary'))).toBe(200);
    await until(async () => (await statusOf(ci.call('GET', 'summary'))) === 401, 10_000);
  });
});

describe('a payload', () => {
  it('is shown to those who were granted it, whatever their role, and each look is on record', async () => {
    await rig.put([TEXT], { status: 'DEAD', errorCode: 'E', errorMessage: 'no' });
    const [anna, bert] = [await user('anna', 'admin'), await user('bert', 'viewer', ['payload'])];
    const [{ id, eventKey }] = (await anna.call('GET', 'events')).json.items;
    expect((await anna.call('GET', `events/${id}`)).json.plaintext).toBeNull();
    expect(await audited('payload.look')).toEqual([]);
    expect((await bert.call('GET', `events/${id}?payload=false`)).json.plaintext).toBeNull();
    expect(await audited('payload.look')).toEqual([]);
    expect((await bert.call('GET', `events/${id}`)).json.plaintext).toBe(TEXT);
    expect(await audited('payload.look')).toMatchObject([
      { actor: 'bert', target: `event:${id}`, detail: { eventKey, address: '127.0.0.1' } },
    ]);
    expect((await root.call('GET', `events/${id}`)).json.plaintext).toBe(TEXT);
    expect(await audited('payload.look')).toHaveLength(2);
  });

  it('is not told by a search either', async () => {
    await rig.put([TEXT], { status: 'DEAD', errorCode: 'E', errorMessage: 'no' });
    const [anna, bert] = [await user('anna', 'admin'), await user('bert', 'operator', ['payload'])];
    const job = { action: 'redrive', filter: { text: 'SpNo' } };
    for (const [who, status] of [
      [anna, 403],
      [bert, 200],
    ] as const) {
      expect(await statusOf(who.call('GET', 'events?text=SpNo'))).toBe(status);
      expect(await statusOf(who.call('GET', 'dead-letters?text=SpNo'))).toBe(status);
      expect(await statusOf(who.call('POST', 'redrive-jobs', job))).toBe(status);
    }
  });
});

@AdminController('forgotten')
class ForgottenController {
  @Get()
  secret(): string {
    return 'secret';
  }
}

describe('a route without a rule', () => {
  it('is refused to everybody', async () => {
    const { AdminModule } = await import('../../src/admin/admin.module.js');
    const controllers = Reflect.getMetadata('controllers', AdminModule) as unknown[];
    controllers.push(ForgottenController);
    try {
      await rig.restart();
      const { status, json } = await machine().call('GET', 'forgotten');
      expect([status, json.message]).toEqual([403, expect.stringContaining('no access rule')]);
    } finally {
      controllers.pop();
    }
  });
});

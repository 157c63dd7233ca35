import { Get } from '@nestjs/common';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AdminController } from '../../src/admin/admin-controller.decorator.js';
import { AdminBrowser, type Answer } from '../support/admin-browser.js';
import { AdminRig } from '../support/admin-rig.js';
import { ADMIN_TOKEN } from '../support/config-sources.js';
import { approvalXml } from '../support/texts.js';
import { until } from '../support/until.js';

const PASSWORD = 'correct horse battery';
const OTHER = 'another long pass phrase';
const TEXT = approvalXml('202611300001', 1, 1_796_000_000);

let rig: AdminRig;
let root: AdminBrowser;

beforeEach(async () => {
  rig = await AdminRig.start({ LOGIN_FAILURES_MAX: '3' });
  root = machine(ADMIN_TOKEN);
});
afterEach(() => rig.stop());

const browser = (headers: Record<string, string> = {}): AdminBrowser =>
  new AdminBrowser(rig.gateway.adminBase, headers);
const machine = (token: string): AdminBrowser => browser({ authorization: `Bearer ${token}` });
const statusOf = async (answer: Promise<Answer>): Promise<number> => (await answer).status;

async function user(name: string, role: string, permissions: string[] = []): Promise<AdminBrowser> {
  await root.call('POST', 'users', { name, role, permissions, password: PASSWORD });
  const visitor = browser();
  expect((await visitor.login(name, PASSWORD)).status).toBe(200);
  return visitor;
}

async function audited(action: string): Promise<any[]> {
  return (await root.call('GET', `audit?action=${action}`)).json.items;
}

describe('a session', () => {
  it('is a cookie that no script reads, no other site sends and no plain network carries', async () => {
    await root.call('POST', 'users', { name: 'anna', role: 'operator', permissions: ['payload'], password: PASSWORD });
    const anna = browser();
    const { json, headers } = await anna.login('anna', PASSWORD);
    expect(headers.getSetCookie()).toEqual([
      expect.stringMatching(/^wcg_session=[\w-]{43}; Path=\/admin; HttpOnly; Secure; SameSite=Strict$/),
    ]);
    const { csrfToken, expiresAt, ...rest } = json;
    expect(rest).toEqual({ user: { name: 'anna', role: 'operator', permissions: ['payload'] } });
    expect(expiresAt).toBeGreaterThan(Date.now() + 3_500_000);
    const again = await anna.call('GET', 'session');
    expect([again.status, again.json.csrfToken, again.json.user.name]).toEqual([200, csrfToken, 'anna']);
    expect(again.headers.get('cache-control')).toBe('no-store');
  });

  it('survives a restart, and ends with the logout', async () => {
    const anna = await user('anna', 'viewer');
    await rig.restart();
    const back = browser();
    [back.cookie, back.csrfToken] = [anna.cookie, anna.csrfToken];
    const stolen = browser();
    stolen.cookie = anna.cookie;
    expect(await statusOf(back.call('GET', 'summary'))).toBe(200);
    const out = await back.call('DELETE', 'session');
    expect([out.status, out.json, back.cookie]).toEqual([204, null, '']);
    expect(out.headers.getSetCookie()[0]).toContain('Expires=Thu, 01 Jan 1970');
    const { status, json } = await stolen.call('GET', 'session');
    expect([status, json.setupNeeded]).toEqual([401, true]);
  });

  it('is refused to what no login ever made', async () => {
    const thief = browser();
    for (const cookie of ['wcg_session=', `wcg_session=${'A'.repeat(43)}`, 'wcg_session=%00', 'wcg_session=x;;;=']) {
      thief.cookie = cookie;
      expect([cookie, await statusOf(thief.call('GET', 'summary'))]).toEqual([cookie, 401]);
    }
  });

  it('is not begun where the browser would drop its cookie, and says so', async () => {
    await root.call('POST', 'users', { name: 'anna', role: 'viewer', permissions: [], password: PASSWORD });
    const { port } = new URL(rig.gateway.adminBase);
    const far = browser({ origin: 'http://10.1.2.3:3001', 'sec-fetch-site': 'same-origin' });
    const { status, json } = await far.login('anna', PASSWORD);
    expect([status, json.message]).toEqual([400, expect.stringContaining('SESSION_COOKIE_SECURE')]);
    const near = browser({ origin: `http://127.0.0.1:${port}` });
    expect((await near.login('anna', PASSWORD)).status).toBe(200);
  });

  it('changes its password for a new session, with the present one only', async () => {
    const anna = await user('anna', 'viewer');
    const elsewhere = browser();
    await elsewhere.login('anna', PASSWORD);
    const before = { cookie: anna.cookie, csrfToken: anna.csrfToken };
    const change = (current: string, next: string) => anna.call('POST', 'session/password', { current, next });
    expect(await statusOf(change(OTHER, OTHER))).toBe(401);
    expect(await statusOf(change(PASSWORD, 'short'))).toBe(400);
    expect(await statusOf(change(PASSWORD, OTHER))).toBe(200);
    expect([anna.cookie === before.cookie, anna.csrfToken === before.csrfToken]).toEqual([false, false]);
    expect(await statusOf(anna.call('GET', 'summary'))).toBe(200);
    expect(await statusOf(elsewhere.call('GET', 'summary'))).toBe(401);
    expect((await audited('password.change')).map(({ actor, target }) => [actor, target])).toEqual([
      ['anna', 'user:anna'],
    ]);
  });
});

describe('a change', () => {
  const change = (visitor: AdminBrowser, headers: Record<string, string>) =>
    statusOf(visitor.call('POST', 'events/lookup', { eventKeys: ['x'] }, headers));

  it('needs the CSRF token of that very session', async () => {
    const [anna, bert] = [await user('anna', 'viewer'), await user('bert', 'viewer')];
    expect(await change(anna, {})).toBe(200);
    for (const token of ['', 'x', bert.csrfToken]) expect(await change(anna, { 'x-csrf-token': token })).toBe(403);
    anna.csrfToken = '';
    expect(await change(anna, {})).toBe(403);
    expect(await statusOf(anna.call('DELETE', 'session'))).toBe(403);
    expect(await statusOf(anna.call('GET', 'summary'))).toBe(200);
  });

  it.each([
    ['of another site', { 'sec-fetch-site': 'cross-site' }, 403],
    ['of another host of the site', { 'sec-fetch-site': 'same-site' }, 403],
    ['of another origin', { origin: 'https://evil.example' }, 403],
    ['of no origin', { origin: 'null' }, 403],
    ['of another port', { origin: 'http://127.0.0.1:1' }, 403],
    ['of our own', { 'sec-fetch-site': 'same-origin', origin: 'http://behind-a-proxy.example' }, 200],
  ])('by a page %s is answered %#', async (_whose, headers, status) => {
    const anna = await user('anna', 'viewer');
    expect(await change(anna, headers as Record<string, string>)).toBe(status);
    const login = anna.call('POST', 'session', { name: 'anna', password: PASSWORD }, headers as Record<string, string>);
    // A page of plain HTTP that is not loopback is told why it cannot log in.
    expect(await statusOf(login)).toBe(status === 200 ? 400 : 403);
  });

  it('with a token needs none of that, and a wrong token is not made good by a cookie', async () => {
    const { json } = await root.call('POST', 'tokens', {
      ...{ name: 'ci', role: 'viewer', permissions: [], expiresAt: null },
    });
    expect(await change(machine(json.token), { 'sec-fetch-site': 'cross-site' })).toBe(200);
    const anna = await user('anna', 'viewer');
    expect(await change(anna, { authorization: 'Bearer wrong' })).toBe(401);
  });
});

describe('a login', () => {
  it('says the same of a wrong password, an unknown name and a disabled account', async () => {
    await user('anna', 'viewer');
    await user('bert', 'viewer');
    await root.call('PATCH', 'users/bert', { disabled: true });
    const answers = [];
    for (const [name, password] of [
      ['anna', OTHER],
      ['nobody', OTHER],
      ['bert', PASSWORD],
    ] as const) {
      const { status, json, headers } = await browser().login(name, password);
      answers.push({ status, json, cookies: headers.getSetCookie() });
    }
    expect(answers[0]).toEqual({
      ...{ status: 401, cookies: [] },
      json: { statusCode: 401, message: 'name or password is wrong', error: 'Unauthorized' },
    });
    expect(answers[1]).toEqual(answers[0]);
    expect(answers[2]).toEqual(answers[0]);
    expect(
      (await audited('login.refused')).map(({ actor, target, detail }) => [actor, target, detail.address]),
    ).toEqual([
      ['(anonymous)', 'user:bert', '127.0.0.1'],
      ['(anonymous)', 'user:(unknown)', '127.0.0.1'],
      ['(anonymous)', 'user:anna', '127.0.0.1'],
    ]);
  });

  it('is locked out after three failures, says until when, and is unlocked by an administrator', async () => {
    await user('anna', 'viewer');
    for (let n = 0; n < 3; n += 1) expect((await browser().login('anna', OTHER)).status).toBe(401);
    const { status, headers, json } = await browser().login('anna', PASSWORD);
    expect([status, json.statusCode]).toEqual([429, 429]);
    expect(Number(headers.get('retry-after'))).toBeGreaterThan(890);
    const [anna] = (await root.call('GET', 'users')).json.items;
    expect(anna.lockedUntil).toBeGreaterThan(Date.now());
    expect((await audited('login.locked')).map(({ target }) => target)).toEqual(['user:anna']);
    const { json: unlocked } = await root.call('PATCH', 'users/anna', { unlock: true });
    expect(unlocked.lockedUntil).toBeNull();
    expect((await browser().login('anna', PASSWORD)).status).toBe(200);
  });

  it('is asked for name and password, and no more', async () => {
    const ask = (body: unknown) => statusOf(browser().call('POST', 'session', body));
    const bad = [
      {},
      { name: 'a' },
      { name: 'a', password: '' },
      { name: 1, password: 'x' },
      { name: 'a', password: {} },
    ];
    for (const body of [
      ...bad,
      { name: 'a', password: 'x', role: 'admin' },
      { name: 'a'.repeat(65), password: 'x' },
      [],
    ])
      expect([body, await ask(body)]).toEqual([body, 400]);
  });
});

describe('the address of whoever logs in', () => {
  const forwarded = async (): Promise<string[]> => {
    await browser({ 'x-forwarded-for': '203.0.113.7, 198.51.100.9' }).login('nobody', OTHER);
    return (await audited('login.refused')).map(({ detail }) => detail.address);
  };

  it('is that of the connection, whatever a client says', async () => {
    expect(await forwarded()).toEqual(['127.0.0.1']);
  });

  it('is the one that a trusted proxy saw', async () => {
    await rig.stop();
    rig = await AdminRig.start({ ADMIN_TRUSTED_PROXIES: '127.0.0.1' });
    root = machine(ADMIN_TOKEN);
    // Before the last one, a client may have written what it likes.
    expect(await forwarded()).toEqual(['198.51.100.9']);
  });
});

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
      const { status, json } = await machine(ADMIN_TOKEN).call('GET', 'forgotten');
      expect([status, json.message]).toEqual([403, expect.stringContaining('no access rule')]);
    } finally {
      controllers.pop();
    }
  });
});

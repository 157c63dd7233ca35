import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { AdminBrowser } from '../support/admin-browser.js';
import { AdminRig } from '../support/admin-rig.js';
import { PASSWORD, statusOf, visitorsOf } from '../support/visitors.js';

const OTHER = 'another long pass phrase';

let rig: AdminRig;
let root: AdminBrowser;
const { browser, machine, user, audited } = visitorsOf(() => rig);

beforeEach(async () => {
  rig = await AdminRig.start({ LOGIN_FAILURES_MAX: '3' });
  root = machine();
});
afterEach(() => rig.stop());

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
    expect(await change(anna, headers)).toBe(status);
    const login = anna.call('POST', 'session', { name: 'anna', password: PASSWORD }, headers);
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
    root = machine();
    // Before the last one, a client may have written what it likes.
    expect(await forwarded()).toEqual(['198.51.100.9']);
  });
});

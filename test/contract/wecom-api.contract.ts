import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { HttpWecomApi } from '../../src/wecom-api/http-wecom-api.js';
import { WecomApiRefusedError, WecomApiUnavailableError } from '../../src/wecom-api/wecom-api.js';
import { FakeWecomServer, json } from '../support/fake-wecom-server.js';
import { ManualClock } from '../support/manual-clock.js';
import { MemoryWecomApi } from '../support/memory-wecom-api.js';
import { describeWecomApi } from './wecom-api.suite.js';

let server: FakeWecomServer;

async function client(clock = new SystemClock(), timeoutMs = 5_000): Promise<HttpWecomApi> {
  server = new FakeWecomServer();
  const credentials = new Map([['app', { corpId: 'ww1', secret: 'secret-of-the-app' }]]);
  return new HttpWecomApi(clock, { baseUrl: await server.start(), timeoutMs, credentials });
}

describeWecomApi('MemoryWecomApi', {
  make: async () => {
    const api = new MemoryWecomApi(['app']);
    return {
      api,
      addMember: (id) => void api.members.add(id),
      addFollowers: (customer, ids) => ids.forEach((id) => api.relations.add(`${id}/${customer}`)),
      failNext: (how) =>
        void api.failures.push(
          how === 'busy' ? new WecomApiUnavailableError('busy') : new WecomApiRefusedError('app', 1),
        ),
    };
  },
  close: async () => undefined,
});

describeWecomApi('HttpWecomApi', {
  make: async () => {
    const api = await client();
    return {
      api,
      addMember: (id) => void server.members.add(id),
      addFollowers: (customer, ids) => void server.followers.set(customer, [...ids]),
      failNext: (how) => server.next('user/get', json({ errcode: how === 'busy' ? 45009 : 48002 })),
    };
  },
  close: () => server.stop(),
});

describe('HttpWecomApi', () => {
  const { signal } = new AbortController();
  afterEach(() => server.stop());
  const times = (path: string): number => server.paths.filter((one) => one === path).length;

  describe('its token', () => {
    let api: HttpWecomApi;
    let clock: ManualClock;
    beforeEach(async () => {
      api = await client((clock = new ManualClock()));
      server.members.add('a');
    });
    const ask = (): Promise<boolean> => api.hasMember('app', 'a', new AbortController().signal);

    it('is fetched once for all who ask at the same time', async () => {
      expect(await Promise.all(Array.from({ length: 10 }, ask))).toEqual(Array(10).fill(true));
      expect(times('gettoken')).toBe(1);
    });

    it('is fetched again before it ends', async () => {
      await ask();
      await clock.advance(6_899_000);
      await ask();
      expect(times('gettoken')).toBe(1);
      await clock.advance(2_000);
      expect(await ask()).toBe(true);
      expect(times('gettoken')).toBe(2);
    });

    it.each([40014, 42001])('is fetched again when WeCom ended it early (%i)', async (errcode) => {
      await ask();
      server.next('user/get', json({ errcode }));
      expect(await ask()).toBe(true);
      expect(times('gettoken')).toBe(2);
    });

    it('is fetched anew once by all who find it ended', async () => {
      await ask();
      server.endToken();
      expect(await Promise.all([ask(), ask(), ask()])).toEqual([true, true, true]);
      expect(times('gettoken')).toBe(2);
    });

    it('is not asked for in a loop when each one is refused', async () => {
      server.next('user/get', json({ errcode: 40014 }), json({ errcode: 40014 }));
      await expect(ask()).rejects.toBeInstanceOf(WecomApiUnavailableError);
      expect(times('gettoken')).toBe(2);
    });

    it('that could not be had is not remembered', async () => {
      server.next('gettoken', json({ errcode: -1 }));
      await expect(ask()).rejects.toBeInstanceOf(WecomApiUnavailableError);
      expect(await ask()).toBe(true);
    });

    it('of a wrong secret is a refusal whose text shows neither secret nor URL', async () => {
      server.secret = 'another';
      const error = await ask().catch((caught: unknown) => caught);
      expect(error).toBeInstanceOf(WecomApiRefusedError);
      expect(String((error as Error).stack)).not.toMatch(/secret-of-the-app|corpsecret/);
    });
  });

  it.each([
    ['an error of a proxy', json({ error: 'x' }, 502)],
    ['a redirect', (response: import('node:http').ServerResponse) => response.writeHead(302, { location: '/' }).end()],
    ['a page', (response: import('node:http').ServerResponse) => response.end('<html>')],
    ['an endless answer', (response: import('node:http').ServerResponse) => response.end('x'.repeat(2_000_000))],
    ['a closed connection', (response: import('node:http').ServerResponse) => response.destroy()],
  ])('takes %s for WeCom away', async (_, script) => {
    const api = await client();
    server.next('user/get', script);
    await expect(api.hasMember('app', 'a', signal)).rejects.toBeInstanceOf(WecomApiUnavailableError);
  });

  it('gives up on a WeCom that does not answer', async () => {
    const api = await client(new SystemClock(), 300);
    server.next('user/get', () => undefined);
    await expect(api.hasMember('app', 'a', signal)).rejects.toBeInstanceOf(WecomApiUnavailableError);
  });
});

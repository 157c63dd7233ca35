import type { Redis } from 'ioredis';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import type { GuardAddress } from '../../src/config/guard-address.js';
import { GuardUnavailableError, type IdempotencyStore } from '../../src/idempotency/idempotency-store.js';
import { openGuard, type GuardLine } from '../support/redis-guard.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import { until } from '../support/until.js';

const LONG_MS = 3_600_000;
const LIMIT_MS = 100;
/** The limit and what a busy machine adds to it. A call that waited for Redis would take for ever. */
const LIMIT_MS_SEEN = 400;

interface Ended {
  readonly outcome: string;
  readonly tookMs: number;
}

/** How a call ended, and when. */
async function end(call: Promise<unknown>): Promise<Ended> {
  const began = performance.now();
  const outcome = await call.then(
    (result) => JSON.stringify(result),
    (error: unknown) => (error instanceof GuardUnavailableError ? 'unavailable' : `wrong error: ${String(error)}`),
  );
  return { outcome, tookMs: performance.now() - began };
}

const UNAVAILABLE_SOON = { outcome: 'unavailable', tookMs: expect.toSatisfy((ms: number) => ms < LIMIT_MS_SEEN) };

describeWithRedis('the guard when Redis fails', () => {
  let server: RedisServer;
  let redis: Redis;
  const stores: IdempotencyStore[] = [];
  const proxies: TcpProxy[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = server.client();
  });

  afterEach(async () => {
    await Promise.all(stores.splice(0).map((store) => store.close()));
    await Promise.all(proxies.splice(0).map((proxy) => proxy.close()));
    server.resume();
    await until(async () => (await redis.flushall().catch(() => '')) === 'OK');
  });

  afterAll(() => server.stop());

  async function open(address: Partial<GuardAddress> = {}, limits: { timeoutMs?: number; openLimitMs?: number } = {}) {
    const opened = await openGuard({ ...server.address, ...address }, limits);
    stores.push(opened.store);
    return opened;
  }

  const isWell = (store: IdempotencyStore) => until(() => store.trouble() === null, 10_000, 'the guard is back');
  const isIll = (store: IdempotencyStore) => until(() => store.trouble() !== null, 10_000, 'the guard notices');
  const named = (lines: readonly GuardLine[], event: string) => lines.filter((line) => line.event === event);

  async function stat(section: string, field: string): Promise<number> {
    return Number(new RegExp(`^${field}[:=](?:count=)?(\\d+)`, 'm').exec(await redis.info(section))?.[1] ?? 0);
  }

  it('lets exactly one of 2,000 claims of two processes through', async () => {
    const [first, second] = [await open(), await open()];
    const claims = Array.from({ length: 2_000 }, (_, n) => (n % 2 ? first : second).store.claim('k', `t${n}`, LONG_MS));
    const results = await Promise.all(claims);
    expect(results.filter((result) => result === 'claimed')).toHaveLength(1);
    expect(results.filter((result) => result === 'received')).toHaveLength(1_999);
  });

  it('keeps an outcome under the key and with the life that operators are told', async () => {
    const { store } = await open();
    await store.acquire('ww1:abc', 'token', LONG_MS, LONG_MS);
    await store.complete('ww1:abc', 'token', LONG_MS);
    expect(await redis.get('wecom:event:{ww1:abc}')).toBe('Stoken');
    expect(await redis.pttl('wecom:event:{ww1:abc}')).toBeGreaterThan(LONG_MS - 10_000);
  });

  it('takes a value that is not its own for none, and refuses a key of another type without failing the rest', async () => {
    const { store } = await open();
    await redis.set('wecom:event:{strange}', 'something else');
    await redis.hset('wecom:event:{typed}', 'a', 'b');
    expect(await store.claim('strange', 'a', LONG_MS)).toBe('claimed');
    expect(await end(store.claim('typed', 'a', LONG_MS))).toMatchObject(UNAVAILABLE_SOON);
    expect(await store.claim('other', 'a', LONG_MS)).toBe('claimed');
    expect(store.trouble()).toBeNull();
  });

  it('loads its scripts again when their cache is emptied between two calls', async () => {
    const { store } = await open();
    const calls = [
      () => store.claim('k', 'g', LONG_MS),
      () => store.confirm('k', 'g', LONG_MS),
      () => store.acquire('k', 'w', LONG_MS, LONG_MS),
      () => store.start('k', 'w'),
      () => store.renew('k', 'w', LONG_MS),
      () => store.release('k', 'w'),
      () => store.acquire('k', 'w2', LONG_MS, LONG_MS),
      () => store.complete('k', 'w2', LONG_MS),
    ];
    const answers: string[] = [];
    for (const call of calls) {
      await redis.script('FLUSH');
      answers.push((await end(call())).outcome);
    }
    const acquired = '{"kind":"acquired","startUnfinished":false}';
    expect(answers).toEqual(['"claimed"', '"done"', acquired, '"done"', '"done"', '"done"', acquired, '"done"']);
  });

  it('loads its scripts again when their cache is emptied among calls that are under way together', async () => {
    const { store } = await open();
    const before = await stat('errorstats', 'errorstat_NOSCRIPT');
    for (let round = 0; round < 10; round += 1) {
      const claims = Array.from({ length: 300 }, async (_, n) => {
        if (n % 50 === 25) await redis.script('FLUSH');
        return store.claim(`${round}.${n}`, 'g', LONG_MS);
      });
      expect(new Set(await Promise.all(claims))).toEqual(new Set(['claimed']));
    }
    expect(await stat('errorstats', 'errorstat_NOSCRIPT')).toBeGreaterThan(before + 10);
    expect(await redis.dbsize()).toBeGreaterThanOrEqual(3_000);
  });

  it('finds nothing after FLUSHALL, and begins anew', async () => {
    const { store } = await open();
    await store.acquire('k', 'a', LONG_MS, LONG_MS);
    await store.claim('c', 'g', LONG_MS);
    await redis.flushall();
    expect(await store.renew('k', 'a', LONG_MS)).toBe('lost');
    expect(await store.start('k', 'a')).toBe('lost');
    expect(await store.complete('k', 'a', LONG_MS)).toBe('lost');
    expect(await store.release('k', 'a')).toBe('done');
    expect(await store.confirm('c', 'g', LONG_MS)).toBe('lost');
    expect(await store.acquire('k', 'b', LONG_MS, LONG_MS)).toMatchObject({ kind: 'acquired' });
  });

  it('rejects every call within the limit while Redis hangs, and runs none of those it has refused later', async () => {
    const { store, lines } = await open({}, { timeoutMs: LIMIT_MS });
    await store.claim('before', 'a', LONG_MS);
    server.pause();
    const began = Date.now();
    const underWay = await Promise.all(
      Array.from({ length: 50 }, (_, n) => end(store.acquire(`sent-${n}`, 'w', LONG_MS, LONG_MS))),
    );
    for (const ended of underWay) expect(ended).toMatchObject(UNAVAILABLE_SOON);
    expect(store.trouble()).toEqual({ since: expect.any(Number), reason: `Redis took longer than ${LIMIT_MS} ms` });
    expect(store.trouble()?.since).toBeGreaterThanOrEqual(began);

    // For longer than a connection is given, so that new ones are tried in vain as well.
    const until = performance.now() + 2_500;
    let refusedCount = 0;
    while (performance.now() < until) {
      const refused = await end(store.claim(`refused-${refusedCount}`, 'a', LONG_MS));
      expect(refused).toMatchObject({ outcome: 'unavailable', tookMs: expect.toSatisfy((ms: number) => ms < 50) });
      refusedCount += 1;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(refusedCount).toBeGreaterThan(100);

    server.resume();
    await isWell(store);
    expect(await store.claim('before', 'b', LONG_MS)).toBe('received');
    expect(await redis.keys('*refused*')).toEqual([]);
    expect(named(lines, 'guard.lost')).toHaveLength(1);
    expect(named(lines, 'guard.connected')).toHaveLength(2);
  });

  it('does not send a script after its caller has been told that there is no answer', async () => {
    const { store } = await open({}, { timeoutMs: LIMIT_MS });
    await redis.script('FLUSH');
    server.pause();
    expect(await end(store.claim('late', 'a', LONG_MS))).toMatchObject(UNAVAILABLE_SOON);
    server.resume();
    // One failure does not open the breaker, so this goes the same way after it.
    expect(await store.claim('next', 'a', LONG_MS)).toBe('claimed');
    expect(await redis.exists('wecom:event:{late}')).toBe(0);
  });

  it('does not take its own pause for one of Redis', async () => {
    const { store } = await open({}, { timeoutMs: LIMIT_MS });
    const calls = Array.from({ length: 10 }, (_, n) => store.claim(`k${n}`, 'a', LONG_MS));
    // What is called together is sent as soon as the calling code has ended.
    await Promise.resolve();
    const blockedUntil = performance.now() + 3 * LIMIT_MS;
    while (performance.now() < blockedUntil);
    expect(new Set(await Promise.all(calls))).toEqual(new Set(['claimed']));
    expect(store.trouble()).toBeNull();
  });

  it('goes on without Redis when that is stopped, and with it when it is back', async () => {
    const { store, lines } = await open();
    await store.claim('k', 'a', LONG_MS);
    const stopped = server.kill();
    // Calls in every turn, so that some come while the connection is ending.
    const during: Promise<Ended>[] = [];
    while (store.trouble() === null) {
      during.push(end(store.claim(`during-${during.length}`, 'b', LONG_MS)));
      await new Promise((resolve) => setImmediate(resolve));
    }
    await stopped;
    await Promise.all(during);
    for (let n = 0; n < 20; n += 1) expect(await end(store.claim('k', 'b', LONG_MS))).toMatchObject(UNAVAILABLE_SOON);
    await until(() => store.trouble()?.reason === 'no connection (ECONNREFUSED)');
    const { since } = store.trouble() ?? {};
    await server.run();
    await isWell(store);
    expect(await store.claim('k', 'b', LONG_MS)).toBe('claimed');
    // It came back empty, and nobody has kept a call for it.
    expect(await redis.keys('*during*')).toEqual([]);
    expect(named(lines, 'guard.lost')).toHaveLength(1);
    expect(since).toBeLessThanOrEqual(Date.now());
  });

  it('opens without Redis, and finds it once it is there', async () => {
    await server.kill();
    const began = performance.now();
    const { store, lines } = await open({}, { openLimitMs: 600 });
    expect(performance.now() - began).toBeLessThan(1_500);
    expect(store.trouble()?.reason).toBe('no connection (ECONNREFUSED)');
    expect(await end(store.acquire('k', 'a', LONG_MS, LONG_MS))).toMatchObject(UNAVAILABLE_SOON);
    await server.run();
    await isWell(store);
    expect(await store.acquire('k', 'a', LONG_MS, LONG_MS)).toMatchObject({ kind: 'acquired' });
    expect(lines.map(({ event }) => event)).toEqual(['guard.lost', 'guard.connected']);
  });

  it('leaves a replica alone, and comes back when that is made the master', async () => {
    const { store } = await open();
    await store.claim('k', 'a', LONG_MS);
    await redis.replicaof('127.0.0.1', 1);
    expect(await end(store.claim('k2', 'a', LONG_MS))).toMatchObject(UNAVAILABLE_SOON);
    expect(store.trouble()?.reason).toBe('Redis answered READONLY');
    const connections = await stat('stats', 'total_connections_received');
    const refusals = await stat('errorstats', 'errorstat_READONLY');
    const until = performance.now() + 1_500;
    while (performance.now() < until) {
      expect((await end(store.claim('k3', 'a', LONG_MS))).outcome).toBe('unavailable');
      await new Promise((resolve) => setImmediate(resolve));
    }
    // It looks for a master again and again, but does not storm.
    const tried = (await stat('stats', 'total_connections_received')) - connections;
    expect(tried).toBeGreaterThanOrEqual(2);
    expect(tried).toBeLessThanOrEqual(7);
    // Only probes reach it, one for each connection.
    expect((await stat('errorstats', 'errorstat_READONLY')) - refusals).toBeLessThanOrEqual(tried + 1);
    await redis.replicaof('NO', 'ONE');
    await isWell(store);
    expect(await store.claim('k', 'b', LONG_MS)).toBe('received');
    expect(await store.claim('k3', 'a', LONG_MS)).toBe('claimed');
  });

  it('succeeds on repeating a step whose reply was lost', async () => {
    const proxy = await TcpProxy.before(server.address.port);
    proxies.push(proxy);
    const { store, lines } = await open({ port: proxy.port }, { timeoutMs: LIMIT_MS });
    const steps: [state: string, call: () => Promise<unknown>, answer: unknown][] = [
      ['Rg', () => store.claim('k', 'g', LONG_MS), 'claimed'],
      ['Qg', () => store.confirm('k', 'g', LONG_MS), 'done'],
      ['P00', () => store.acquire('k', 'w', LONG_MS, LONG_MS), { kind: 'acquired', startUnfinished: false }],
      ['P10', () => store.start('k', 'w'), 'done'],
      ['P10', () => store.renew('k', 'w', LONG_MS), 'done'],
      ['Sw', () => store.complete('k', 'w', LONG_MS), 'done'],
    ];
    // Once through, so that Redis has the scripts: otherwise the reply lost would be that it has not, and nothing happened.
    for (const [, call] of steps) await call();
    await redis.flushall();
    for (const [state, call, answer] of steps) {
      proxy.isSwallowing = true;
      expect(await end(call())).toMatchObject(UNAVAILABLE_SOON);
      expect(await redis.get('wecom:event:{k}')).toMatch(new RegExp(`^${state}`));
      proxy.isSwallowing = false;
      proxy.cut();
      await isIll(store);
      await isWell(store);
      expect(await call()).toEqual(answer);
    }
    expect(proxy.swallowedCount).toBeGreaterThanOrEqual(steps.length);
    expect(named(lines, 'guard.lost')).toHaveLength(steps.length);
  });

  it('rejects what is under way as soon as the connection breaks', async () => {
    const proxy = await TcpProxy.before(server.address.port);
    proxies.push(proxy);
    const { store } = await open({ port: proxy.port }, { timeoutMs: 30_000 });
    proxy.isSwallowing = true;
    const calls = Array.from({ length: 5 }, (_, n) => end(store.claim(`k${n}`, 'a', LONG_MS)));
    await until(() => proxy.swallowedCount > 0);
    proxy.cut();
    for (const call of calls) expect(await call).toMatchObject(UNAVAILABLE_SOON);
    proxy.isSwallowing = false;
    await isWell(store);
  });

  it('gives up a connection that never comes to an answer, and tries another', async () => {
    const proxy = await TcpProxy.before(server.address.port);
    proxies.push(proxy);
    proxy.isSwallowing = true;
    const { store } = await open({ port: proxy.port }, { openLimitMs: 100 });
    await until(() => proxy.swallowedCount > 0);
    // What was lost stays lost: only on a new connection will anything be heard.
    proxy.isSwallowing = false;
    await isWell(store);
    expect(await store.claim('k', 'a', LONG_MS)).toBe('claimed');
  });

  it('closes at once while Redis hangs, and leaves no call without an end', async () => {
    const { store } = await open({}, { timeoutMs: 30_000 });
    server.pause();
    const calls = Array.from({ length: 5 }, (_, n) => end(store.claim(`k${n}`, 'a', LONG_MS)));
    expect((await end(store.close())).tookMs).toBeLessThan(LIMIT_MS_SEEN);
    expect(store.trouble()?.reason).toBe('closed');
    for (const call of calls) expect(await call).toMatchObject(UNAVAILABLE_SOON);
    expect(await end(store.claim('k', 'a', LONG_MS))).toMatchObject(UNAVAILABLE_SOON);
  });

  it('takes on no more calls than it can keep while none is answered', async () => {
    const { store } = await open({}, { timeoutMs: 30_000 });
    server.pause();
    const calls = Array.from({ length: 10_000 }, (_, n) => end(store.claim(`k${n}`, 'a', LONG_MS)));
    expect(await end(store.claim('one more', 'a', LONG_MS))).toMatchObject(UNAVAILABLE_SOON);
    await store.close();
    expect(new Set((await Promise.all(calls)).map(({ outcome }) => outcome))).toEqual(new Set(['unavailable']));
  });

  it('closes at once while it tries to connect', async () => {
    await server.kill();
    const { store, lines } = await open({}, { openLimitMs: 50 });
    await store.close();
    await server.run();
    expect(named(lines, 'guard.connected')).toEqual([]);
  });
});

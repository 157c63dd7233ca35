import { Socket } from 'node:net';
import { afterEach, expect, it, vi } from 'vitest';
import { openGuard } from '../support/redis-guard.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';

const CALLS = 100;

describeWithRedis('the guard of a batch', () => {
  afterEach(() => vi.restoreAllMocks());

  it('sends the calls that are made together in one write', async () => {
    const server = await RedisServer.start();
    const { store } = await openGuard(server.address);
    try {
      const writes = [vi.spyOn(Socket.prototype, '_write'), vi.spyOn(Socket.prototype, '_writev' as never)];
      const claims = Array.from({ length: CALLS }, (_, n) => store.claim(`key:${n}`, 'token', 10_000));
      expect(await Promise.all(claims)).toEqual(Array(CALLS).fill('claimed'));
      const writeCount = writes.reduce((sum, { mock }) => sum + mock.calls.length, 0);
      // One, and at times one more: the guard looks after itself meanwhile.
      expect(writeCount).toBeLessThan(4);
    } finally {
      await store.close();
      await server.stop();
    }
  });
});

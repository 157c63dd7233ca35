import { describe, expect, it } from 'vitest';
import { FIRST, RETRY_MS, SpoolWorld, event, watch } from '../../test/support/spool-world.js';

describe('draining', () => {
  it('begins soon after the first append, and removes a segment only after the acknowledgement', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'held';
    const spool = await world.open();
    await world.append(spool, 'a', 'b');
    await world.clock.advance(RETRY_MS - 1);
    expect(world.transport.batches).toEqual([]);
    await world.clock.advance(1);
    expect(world.transport.batches).toEqual([{ topic: 'wecom.events', bodies: ['a', 'b'], at: RETRY_MS }]);
    expect(world.disk.paths()).toEqual([FIRST]);
    expect(spool.isHolding()).toBe(true);
    world.transport.held[0]?.acknowledge();
    await world.clock.settle();
    expect(world.disk.paths()).toEqual([]);
    expect(spool.isHolding()).toBe(false);
    await spool.close();
  });

  it('backs off to its limit while the transport is down, then publishes in order and starts afresh', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'down';
    const spool = await world.open();
    await world.append(spool, 'a', 'b', 'c');
    await world.clock.advance(3_300);
    const times = world.transport.batches.map(({ at }) => at);
    expect(times).toEqual([100, 200, 400, 800, 1_600, 2_400, 3_200]);
    expect(spool.state().trouble).toEqual({ since: world.clock.now() - 3_200, reason: 'transport is down' });
    expect(world.warnings).toEqual(['spool.drain.failed']);
    await world.append(spool, 'd');
    world.transport.mode = 'up';
    await world.clock.advance(800);
    expect(world.transport.bodies).toEqual(['a', 'b', 'c', 'd']);
    expect(spool.state()).toMatchObject({ depth: 0, bytes: 0, oldestAt: null, trouble: null, damagedSegments: 0 });
    world.transport.mode = 'down';
    const calls = world.transport.batches.length;
    await world.append(spool, 'e');
    await world.clock.advance(RETRY_MS);
    expect(world.transport.batches.length).toBe(calls + 1);
    await world.end(spool.close());
  });

  it('empties itself through a transport that takes few events within its limit, and sends few of them twice', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'few';
    const spool = await world.open({ drainBatchMax: 10 });
    const bodies = Array.from({ length: 40 }, (_, index) => `event-${index}`);
    await world.append(spool, ...bodies);
    await world.clock.advance(30_000);
    expect(world.transport.bodies).toEqual(bodies);
    expect(spool.isHolding()).toBe(false);
    const sent = world.transport.batches.reduce((sum, batch) => sum + batch.bodies.length, 0);
    expect(sent).toBeLessThan(3 * bodies.length);
    // A batch grows again, so that a transport that is well takes large ones.
    world.transport.mode = 'up';
    await world.append(spool, ...bodies);
    await world.clock.advance(RETRY_MS);
    expect(Math.max(...world.transport.batches.map((batch) => batch.bodies.length))).toBe(10);
    await spool.close();
  });

  it('forgets how long it backed off as soon as one batch was acknowledged', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'down';
    const spool = await world.open({ drainBatchMax: 1 });
    await world.append(spool, 'a', 'b');
    await world.clock.advance(1_000);
    world.transport.mode = 'held';
    await world.clock.advance(600);
    world.transport.held[0]?.acknowledge();
    await world.clock.settle();
    world.transport.held[1]?.refuse();
    await world.clock.advance(RETRY_MS);
    expect(world.transport.batches.slice(-3).map(({ bodies, at }) => [...bodies, at])).toEqual([
      ['a', 1_600],
      ['b', 1_600],
      ['b', 1_700],
    ]);
    world.transport.held[2]?.acknowledge();
    await world.end(spool.close());
  });

  it('is well again when a failing append took away the file that it could not', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    await world.append(spool, 'a');
    world.disk.fail('remove', { code: 'EIO' });
    await world.clock.advance(RETRY_MS);
    expect(spool.state().trouble?.reason).toContain('EIO');
    world.disk.fail('append', { code: 'EIO' });
    await expect(spool.append(event('refused'))).rejects.toThrow('refused');
    await world.clock.advance(1_000);
    expect(world.disk.paths()).toEqual([]);
    expect(spool.state().trouble).toBeNull();
    await spool.close();
  });

  it('closes a segment before it removes it, which some systems demand', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    await world.append(spool, 'a');
    const close = world.disk.hang('close');
    await world.clock.advance(RETRY_MS);
    expect(spool.isHolding()).toBe(false);
    expect(world.disk.paths()).toEqual([FIRST]);
    close.release();
    await world.clock.settle();
    expect(world.disk.paths()).toEqual([]);
    await spool.close();
  });

  it('keeps one batch in flight, and publishes none behind a refused one', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'held';
    const spool = await world.open({ drainBatchMax: 2 });
    await world.append(spool, 'a', 'b', 'c', 'd', 'e');
    await world.clock.advance(10_000);
    expect(world.transport.batches.length).toBe(1);
    world.transport.held[0]?.refuse();
    await world.clock.advance(RETRY_MS);
    expect(world.transport.batches.map(({ bodies }) => bodies)).toEqual([['a', 'b'], ['a']]);
    world.transport.mode = 'up';
    world.transport.held[1]?.acknowledge();
    await world.clock.settle();
    expect(world.transport.bodies).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(Math.max(...world.transport.batches.map(({ bodies }) => bodies.length))).toBe(2);
    await spool.close();
  });

  it('does not let an event past the last publish: it goes behind until that is acknowledged', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'held';
    const spool = await world.open();
    await world.append(spool, 'a');
    await world.clock.advance(RETRY_MS);
    expect(spool.isHolding()).toBe(true);
    const sync = world.disk.hang('sync');
    const appending = watch(spool.append(event('b')));
    world.transport.held[0]?.acknowledge();
    await world.clock.settle();
    // "a" is published and "b" not yet durable: the next event must still go behind "b".
    expect(spool.state().depth).toBe(0);
    expect(spool.isHolding()).toBe(true);
    world.transport.mode = 'up';
    sync.release();
    await world.clock.settle();
    expect(appending.result).toBe('durable');
    await world.clock.advance(RETRY_MS);
    expect(world.transport.bodies).toEqual(['a', 'b']);
    expect(spool.isHolding()).toBe(false);
    expect(world.disk.paths()).toEqual([]);
    await spool.close();
  });

  it('goes on where it was when its segment is closed between two batches', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'held';
    const spool = await world.open({ drainBatchMax: 1, segmentBytesMax: 200 });
    await world.append(spool, 'a', 'b', 'c');
    await world.clock.advance(RETRY_MS);
    await world.append(spool, 'd');
    expect(world.disk.paths().length).toBe(2);
    for (let index = 0; index < 4; index += 1) {
      world.transport.held[index]?.acknowledge();
      await world.clock.settle();
    }
    expect(world.transport.bodies).toEqual(['a', 'b', 'c', 'd']);
    expect(world.disk.paths()).toEqual([]);
    await spool.close();
  });

  it('holds from the moment an append is accepted', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    expect(spool.isHolding()).toBe(false);
    const appending = spool.append(event('a'));
    expect(spool.isHolding()).toBe(true);
    await appending;
    await spool.close();
  });

  it('goes on under appends that never pause', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'held';
    const spool = await world.open({ segmentBytesMax: 500 });
    await world.append(spool, 'event 0');
    await world.clock.advance(RETRY_MS);
    world.transport.mode = 'up';
    world.transport.held[0]?.acknowledge();
    let count = 1;
    // In two halves out of step, so that one always waits while the other is written.
    const callers = Array.from({ length: 4 }, async (_, index) => {
      if (index % 2 === 0) await world.clock.nextTurn();
      while (world.transport.bodies.length < 100 && count < 1_000) await spool.append(event(`event ${count++}`));
    });
    await Promise.all(callers);
    expect(count).toBeLessThan(1_000);
    await world.clock.advance(RETRY_MS);
    expect(world.transport.bodies).toEqual(Array.from({ length: count }, (_, index) => `event ${index}`));
    expect(world.disk.paths()).toEqual([]);
    await spool.close();
  });

  it('publishes a batch of one topic, and does not let one topic pass another', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    await spool.append(event('a', 'one'));
    await spool.append(event('b', 'one'));
    await spool.append(event('c', 'two'));
    await spool.append(event('d', 'one'));
    await world.clock.advance(RETRY_MS);
    expect(world.transport.batches.map(({ topic, bodies }) => [topic, ...bodies])).toEqual([
      ['one', 'a', 'b'],
      ['two', 'c'],
      ['one', 'd'],
    ]);
    await spool.close();
  });

  it('publishes what an earlier process left before anything new', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'down';
    const earlier = await world.open({ segmentBytesMax: 200 });
    const appendedAt = world.clock.now();
    await world.append(earlier, 'a', 'b', 'c', 'd');
    await world.end(earlier.close());
    await world.clock.advance(5_000);
    world.transport.mode = 'up';
    const spool = await world.open();
    expect(spool.isHolding()).toBe(true);
    expect(spool.state()).toMatchObject({ depth: 4, oldestAt: appendedAt });
    await world.append(spool, 'e');
    await world.clock.advance(RETRY_MS);
    expect(world.transport.bodies).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(world.disk.paths()).toEqual([]);
    await spool.close();
  });

  it('tells how long the oldest frame has waited', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'down';
    const spool = await world.open({ drainBatchMax: 1 });
    const start = world.clock.now();
    await world.append(spool, 'a');
    await world.clock.advance(50);
    await world.append(spool, 'b');
    expect(spool.state()).toMatchObject({ depth: 2, oldestAt: start });
    world.transport.mode = 'held';
    await world.clock.advance(50);
    world.transport.held[0]?.acknowledge();
    await world.clock.settle();
    expect(spool.state()).toMatchObject({ depth: 1, oldestAt: start + 50 });
    world.transport.held[1]?.acknowledge();
    await world.end(spool.close());
  });
});

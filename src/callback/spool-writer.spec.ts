import { describe, expect, it } from 'vitest';
import { FIRST, RETRY_MS, SpoolWorld, event, watch } from '../../test/support/spool-world.js';
import { SpoolFailedError } from './spool.js';

describe('a disk that fails', () => {
  it.each([
    ['opening a segment', 'openAppend', {}],
    ['writing nothing', 'append', { bytesWritten: 0 }],
    ['tearing a frame', 'append', { bytesWritten: 40 }],
    ['syncing', 'sync', {}],
  ] as const)('when %s refuses the append, and hides no later frame', async (_name, operation, fault) => {
    for (const before of [[], ['before']]) {
      const world = new SpoolWorld();
      world.transport.mode = 'down';
      const spool = await world.open({ segmentBytesMax: operation === 'openAppend' ? 100 : 10_000 });
      await world.append(spool, ...before);
      world.disk.fail(operation, { code: 'EIO', ...fault });
      await expect(spool.append(event('refused'))).rejects.toBeInstanceOf(SpoolFailedError);
      expect(spool.state()).toMatchObject({ depth: before.length, trouble: { since: world.clock.now() } });
      expect(spool.isHolding()).toBe(before.length > 0);
      await world.append(spool, 'after');
      expect(spool.state().trouble).toBeNull();
      // All that the system cache still holds may have reached the medium, or nothing of it.
      const kept = (await world.restartAndDrain(operation === 'sync' ? 0 : 1_000)).filter((body) => body !== 'refused');
      expect(kept).toEqual([...before, 'after']);
    }
  });

  it('publishes in this process only what it acknowledged', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    await world.append(spool, 'a');
    world.disk.fail('sync', { code: 'EIO' });
    await expect(spool.append(event('refused'))).rejects.toThrow();
    await world.append(spool, 'b');
    await world.clock.advance(RETRY_MS);
    expect(world.transport.bodies).toEqual(['a', 'b']);
    expect(world.disk.paths()).toEqual([]);
    await spool.close();
  });

  it('publishes only what it acknowledged also from a segment that it has to read back', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'down';
    const spool = await world.open({ segmentBytesMax: 200 });
    await world.append(spool, 'a', 'b', 'c', 'd');
    world.disk.fail('sync', { code: 'EIO' });
    await expect(spool.append(event('refused'))).rejects.toThrow();
    await world.append(spool, 'e');
    expect(world.disk.content('/spool/00000002.spool').toString()).toContain('refused');
    world.transport.mode = 'up';
    await world.clock.advance(1_000);
    expect(world.transport.bodies).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(spool.state()).toMatchObject({ depth: 0, damagedSegments: 0 });
    await spool.close();
  });

  it('answers before it cleans up, which may hang', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    world.disk.fail('append', { code: 'EIO' });
    const close = world.disk.hang('close');
    const appending = watch(spool.append(event('refused')));
    await world.clock.settle();
    expect(appending.result).toContain('refused');
    close.release();
    await world.append(spool, 'a');
    await spool.close();
  });

  it('refuses while it is full, leaves no litter, and works again when there is room', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'down';
    const spool = await world.open();
    await world.append(spool, 'a');
    world.disk.capacityBytes = world.disk.content(FIRST).length + 30;
    for (let turn = 0; turn < 20; turn += 1) {
      await expect(spool.append(event('refused'))).rejects.toMatchObject({
        code: 'SPOOL_FAILED',
        cause: { code: 'ENOSPC' },
      });
    }
    await world.clock.settle();
    expect(world.disk.paths().length).toBeLessThanOrEqual(2);
    world.disk.capacityBytes = Number.POSITIVE_INFINITY;
    await world.append(spool, 'b');
    world.transport.mode = 'up';
    await world.clock.advance(1_000);
    expect(world.transport.bodies).toEqual(['a', 'b']);
    await spool.close();
  });

  it('refuses all appends of the group whose sync failed', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    world.disk.fail('sync', { code: 'EIO' });
    const appends = ['a', 'b', 'c'].map((body) => watch(spool.append(event(body))));
    await world.clock.settle();
    expect(appends.every(({ result }) => result?.includes('refused'))).toBe(true);
    expect(spool.isHolding()).toBe(false);
    await spool.close();
  });

  it('retries to remove a published segment, without publishing it again', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    await world.append(spool, 'a');
    world.disk.fail('remove', { code: 'EIO', times: 3 });
    await world.clock.advance(RETRY_MS);
    expect(spool.isHolding()).toBe(false);
    expect(spool.state().trouble?.reason).toContain('EIO');
    expect(world.disk.paths()).toEqual([FIRST]);
    await world.clock.advance(2_000);
    expect(world.disk.paths()).toEqual([]);
    expect(spool.state().trouble).toBeNull();
    expect(world.transport.bodies).toEqual(['a']);
    await spool.close();
  });

  it('keeps its frames when a segment cannot be read for a while', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'down';
    await world.append(await world.open(), 'a', 'b');
    world.disk = world.disk.crash();
    world.transport.mode = 'up';
    const spool = await world.open();
    world.disk.fail('read', { code: 'EIO', times: 2 });
    await world.clock.advance(RETRY_MS);
    expect(spool.isHolding()).toBe(true);
    await world.clock.advance(1_000);
    expect(world.transport.bodies).toEqual(['a', 'b']);
    await spool.close();
  });

  it('stops the start when the folder cannot be read', async () => {
    const world = new SpoolWorld();
    world.disk.fail('list', { code: 'EACCES' });
    await expect(world.open()).rejects.toMatchObject({ code: 'SPOOL_FAILED', cause: { code: 'EACCES' } });
  });
});

describe('a disk that hangs', () => {
  it.each(['openAppend', 'append', 'sync'] as const)(
    'while it does %s: refuses within the limit, then at once, and works again when the call returns',
    async (operation) => {
      const world = new SpoolWorld();
      const spool = await world.open();
      const hang = world.disk.hang(operation);
      const first = watch(spool.append(event('first')));
      await world.clock.advance(499);
      const queued = watch(spool.append(event('queued')));
      expect(first.result).toBeUndefined();
      await world.clock.advance(1);
      expect(first.result).toContain('in time');
      // Nothing is promised to anybody, so nothing needs to go behind it.
      const later = watch(spool.append(event('later')));
      await world.clock.settle();
      expect(later.result).toContain('hangs');
      expect(queued.result).toBeUndefined();
      await world.clock.advance(499);
      expect(queued.result).toContain('in time');
      expect(spool.isHolding()).toBe(false);
      hang.release();
      await world.clock.settle();
      await world.append(spool, 'again');
      expect(spool.state().trouble).toBeNull();
      // "first" reached the file after its refusal and may be published; "queued" never did.
      await world.clock.advance(1_000);
      expect(world.transport.bodies.filter((body) => body !== 'first')).toEqual(['again']);
      await spool.close();
    },
  );

  it('writes an append that was queued behind the hanging call and still has time', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    const hang = world.disk.hang('sync');
    const first = watch(spool.append(event('first')));
    await world.clock.advance(400);
    const second = watch(spool.append(event('second')));
    await world.clock.advance(200);
    expect(first.result).toContain('in time');
    hang.release();
    await world.clock.settle();
    expect(second.result).toBe('durable');
    expect(await world.restartAndDrain()).toContain('second');
  });

  it('counts a frame that became durable after its refusal, so that it is published in order', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    const hang = world.disk.hang('sync');
    const first = watch(spool.append(event('first')));
    await world.clock.advance(500);
    expect(first.result).toContain('in time');
    hang.release();
    await world.clock.settle();
    expect(spool.isHolding()).toBe(true);
    await world.append(spool, 'second');
    await world.clock.advance(RETRY_MS);
    expect(world.transport.bodies).toEqual(['first', 'second']);
    await spool.close();
  });

  it('does not keep close from returning, and its file is closed when it comes back', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    const hang = world.disk.hang('sync');
    const appending = watch(spool.append(event('a')));
    await world.clock.settle();
    let closed = false;
    const closing = spool.close().then(() => (closed = true));
    await world.clock.advance(499);
    expect(closed).toBe(false);
    await world.clock.advance(1);
    expect(closed).toBe(true);
    await closing;
    expect(appending.result).toContain('in time');
    expect(world.disk.callCount('close')).toBe(0);
    hang.release();
    await world.clock.settle();
    expect(world.disk.callCount('close')).toBe(1);
    expect(world.clock.timerCount).toBe(0);
  });
});

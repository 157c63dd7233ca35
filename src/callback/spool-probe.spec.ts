import { describe, expect, it } from 'vitest';
import { RETRY_MS, SpoolWorld, event, watch } from '../../test/support/spool-world.js';
import type { DiskOperation } from '../../test/support/memory-disk.js';

const PROBE = '/spool/probe';

describe('a spool in trouble', () => {
  it.each(['openAppend', 'append', 'sync'] as const)(
    'finds by itself that the disk does %s again, without any traffic',
    async (operation) => {
      const world = new SpoolWorld();
      const spool = await world.open();
      world.disk.fail(operation, { code: 'EIO', times: 3 });
      await expect(spool.append(event('refused'))).rejects.toThrow('refused');
      const since = world.clock.now();
      await world.clock.advance(2_999);
      expect(spool.state().trouble).toMatchObject({ since, reason: expect.stringContaining('EIO') });
      await world.clock.advance(1);
      expect(spool.state().trouble).toBeNull();
      expect(world.disk.paths()).toEqual([]);
      expect(world.clock.timerCount).toBe(0);
      expect(world.warnings).toEqual(['spool.append.failed']);
      await spool.close();
    },
  );

  it('stays so while the disk has no room for an event, and leaves no litter on it', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    world.disk.capacityBytes = 1_000;
    await expect(spool.append(event('x'.repeat(2_000)))).rejects.toThrow('refused');
    await world.clock.advance(5_000);
    expect(spool.state().trouble?.reason).toContain('ENOSPC');
    expect(world.disk.paths()).toEqual([]);
    world.disk.capacityBytes = 10_000;
    await world.clock.advance(1_000);
    expect(spool.state().trouble).toBeNull();
    await spool.close();
  });

  it('leaves the disk alone while the spool is full, and is well again when the drain has made room', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'down';
    const spool = await world.open({ bytesMax: 300, segmentBytesMax: 100 });
    await world.append(spool, 'a', 'b');
    await expect(spool.append(event('c'.repeat(100)))).rejects.toThrow('full');
    const opened = world.disk.callCount('openAppend');
    await world.clock.advance(3_000);
    expect(spool.state().trouble?.reason).toContain('full');
    expect(world.disk.callCount('openAppend')).toBe(opened);
    world.transport.mode = 'up';
    await world.clock.advance(2_000);
    expect(world.transport.bodies).toEqual(['a', 'b']);
    expect(spool.state().trouble).toBeNull();
    await spool.close();
  });

  it.each([
    [{ frameBytesMax: 100 }, 'too large'],
    [{ bytesMax: 100 }, 'full'],
  ])('is not in trouble for ever over an event that never fits: %o', async (limit, reason) => {
    const world = new SpoolWorld();
    const spool = await world.open(limit);
    await expect(spool.append(event('x'.repeat(1_000)))).rejects.toThrow(reason);
    await world.clock.advance(1_000);
    expect(spool.state().trouble).toBeNull();
    await spool.close();
  });

  it('gives a disk that hangs no second call, and is well again after it returns', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    const hang = world.disk.hang('sync');
    const appending = watch(spool.append(event('late')));
    await world.clock.advance(5_000);
    expect(appending.result).toContain('in time');
    expect(world.disk.callCount('openAppend')).toBe(1);
    hang.release('EIO');
    await world.clock.advance(1_000);
    expect(spool.state().trouble).toBeNull();
    await spool.close();
  });

  it('probes once at a time, also when the probe itself hangs', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    world.disk.fail('append', { code: 'EIO' });
    await expect(spool.append(event('refused'))).rejects.toThrow('refused');
    const hang = world.disk.hang('sync');
    await world.clock.advance(5_000);
    expect(world.disk.callCount('sync')).toBe(1);
    expect(spool.state().trouble).not.toBeNull();
    hang.release();
    await world.clock.settle();
    expect(spool.state().trouble).toBeNull();
    expect(world.disk.paths()).toEqual([]);
    await spool.close();
  });

  it('writes nothing where it can remove nothing', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    world.disk.fail('append', { code: 'EIO' });
    await expect(spool.append(event('refused'))).rejects.toThrow('refused');
    await world.clock.settle();
    const appends = world.disk.callCount('append');
    world.disk.fail('remove', { code: 'EROFS', times: 5 });
    await world.clock.advance(5_000);
    expect(world.disk.callCount('append')).toBe(appends);
    await world.clock.advance(1_000);
    expect(spool.state().trouble).toBeNull();
    await spool.close();
  });

  it('starts beside what a crash left of a probe, and removes it with the next one', async () => {
    const world = new SpoolWorld();
    world.disk.put(PROBE, Buffer.from('xx'));
    const spool = await world.open();
    expect(spool.state()).toMatchObject({ depth: 0, bytes: 0, damagedSegments: 0 });
    world.disk.fail('append', { code: 'EIO' });
    await expect(spool.append(event('refused'))).rejects.toThrow('refused');
    await world.clock.settle();
    expect(world.disk.paths()).toEqual([PROBE]);
    await world.clock.advance(1_000);
    expect(world.disk.paths()).toEqual([]);
    await spool.close();
  });

  it('closes in trouble without a timer left, and waits for a probe in hand', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    world.disk.fail('append', { code: 'EIO' });
    await expect(spool.append(event('refused'))).rejects.toThrow('refused');
    const hang = world.disk.hang('sync');
    await world.clock.advance(1_000);
    const operations: DiskOperation[] = ['close', 'remove'];
    const before = operations.map((operation) => world.disk.callCount(operation));
    let closed = false;
    const closing = spool.close().then(() => (closed = true));
    await world.clock.settle();
    expect(closed).toBe(false);
    hang.release('EIO');
    await closing;
    expect(operations.map((operation) => world.disk.callCount(operation))).toEqual(before.map((count) => count + 1));
    expect(world.clock.timerCount).toBe(0);
    expect(world.disk.paths()).toEqual([]);
  });

  it('sets no timer for what fails while it closes', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    world.disk.fail('sync', { code: 'EIO' });
    const appending = watch(spool.append(event('a')));
    await world.end(spool.close());
    expect(appending.result).toContain('refused');
    await world.clock.advance(RETRY_MS);
    expect(world.clock.timerCount).toBe(0);
  });
});

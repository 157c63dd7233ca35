import { describe, expect, it } from 'vitest';
import { FIRST, RETRY_MS, SpoolWorld, event, spoolDefaults, watch } from '../../test/support/spool-world.js';
import { FileSpool } from './file-spool.js';
import { SpoolFailedError } from './spool.js';

describe('appending to the spool', () => {
  it('resolves only after the sync', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    const sync = world.disk.hang('sync');
    const appending = watch(spool.append(event('a')));
    await world.clock.settle();
    expect(world.disk.content(FIRST).length).toBeGreaterThan(0);
    expect(appending.result).toBeUndefined();
    sync.release();
    await world.clock.settle();
    expect(appending.result).toBe('durable');
    await spool.close();
  });

  it('writes everything that arrives during a sync with the next one', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    const sync = world.disk.hang('sync');
    const appends = [spool.append(event('a'))];
    await world.clock.settle();
    for (const body of ['b', 'c', 'd', 'e']) appends.push(spool.append(event(body)));
    await world.clock.settle();
    sync.release();
    await Promise.all(appends);
    expect(world.disk.callCount('sync')).toBe(2);
    expect(world.disk.callCount('append')).toBe(2);
    expect(await world.restartAndDrain()).toEqual(['a', 'b', 'c', 'd', 'e']);
  });

  it('gives the appends of one turn one sync', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    await Promise.all(['a', 'b', 'c'].map((body) => spool.append(event(body))));
    expect(world.disk.callCount('sync')).toBe(1);
    await spool.close();
  });

  it('begins another segment when one is full, and keeps the order across them', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'down';
    const spool = await world.open({ segmentBytesMax: 300 });
    const bodies = Array.from({ length: 30 }, (_, index) => `event ${index}`);
    await world.append(spool, ...bodies);
    expect(world.disk.paths().length).toBeGreaterThan(5);
    for (const path of world.disk.paths()) expect(world.disk.content(path).length).toBeLessThanOrEqual(300);
    world.transport.mode = 'up';
    await world.clock.advance(2_000);
    expect(world.transport.bodies).toEqual(bodies);
    expect(world.disk.paths()).toEqual([]);
    await spool.close();
  });

  it('refuses what would not fit below the limit, until published segments have made room', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'down';
    const spool = await world.open({ bytesMax: 400 });
    const kept: string[] = [];
    for (let index = 0; index < 10; index += 1) {
      const appending = watch(spool.append(event(`event ${index}`)));
      await world.clock.settle();
      if (appending.result === 'durable') kept.push(`event ${index}`);
      else expect(appending.result).toContain('full');
    }
    expect(kept.length).toBeGreaterThan(2);
    expect(kept.length).toBeLessThan(10);
    expect(spool.state().bytes).toBeLessThanOrEqual(400);
    expect(spool.state().trouble?.reason).toContain('full');
    world.transport.mode = 'up';
    await world.clock.advance(1_000);
    expect(world.transport.bodies).toEqual(kept);
    await world.append(spool, 'late');
    expect(spool.state().trouble).toBeNull();
    await spool.close();
  });

  it('counts appends that wait for the disk against the limit', async () => {
    const world = new SpoolWorld();
    const spool = await world.open({ bytesMax: 400 });
    world.disk.hang('openAppend');
    const appends = Array.from({ length: 10 }, (_, index) => watch(spool.append(event(`event ${index}`))));
    await world.clock.settle();
    expect(appends.filter(({ result }) => result?.includes('full')).length).toBeGreaterThan(3);
    const more = watch(spool.append(event('x'.repeat(200))));
    await world.clock.settle();
    expect(more.result).toContain('full');
  });

  it('holds no more than a segment in memory when the disk does not keep up', async () => {
    const world = new SpoolWorld();
    const spool = await world.open({ segmentBytesMax: 300 });
    world.disk.hang('append');
    const appends = Array.from({ length: 10 }, (_, index) => watch(spool.append(event(`event ${index}`))));
    await world.clock.settle();
    expect(appends.filter(({ result }) => result?.includes('keep up')).length).toBeGreaterThan(4);
  });

  it('refuses an event that is too large', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    await expect(spool.append(event('x'.repeat(6_000)))).rejects.toMatchObject({ code: 'SPOOL_FAILED' });
    expect(spool.isHolding()).toBe(false);
    await spool.close();
  });

  it('refuses before it is open and after it was closed', async () => {
    const world = new SpoolWorld();
    const spool = new FileSpool(world.disk, world.clock, world.transport.publish, spoolDefaults);
    await expect(spool.append(event('a'))).rejects.toBeInstanceOf(SpoolFailedError);
    await spool.open();
    await spool.close();
    await expect(spool.append(event('a'))).rejects.toBeInstanceOf(SpoolFailedError);
    expect(world.disk.paths()).toEqual([]);
  });
});

describe('closing the spool', () => {
  it('stops the drain, keeps what waits, and leaves no timer', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'held';
    const spool = await world.open({ drainBatchMax: 1 });
    await world.append(spool, 'a', 'b');
    await world.clock.advance(RETRY_MS);
    const closing = spool.close();
    world.transport.held[0]?.acknowledge();
    await world.end(closing);
    expect(world.transport.batches.length).toBe(1);
    expect(world.disk.callCount('close')).toBe(1);
    expect(world.clock.timerCount).toBe(0);
    expect(await world.restartAndDrain()).toEqual(['a', 'b']);
  });

  it('waits for the publish in flight, so that the next start does not repeat it', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'held';
    const spool = await world.open();
    await world.append(spool, 'a');
    await world.clock.advance(RETRY_MS);
    let closed = false;
    const closing = spool.close().then(() => (closed = true));
    await world.clock.settle();
    expect(closed).toBe(false);
    world.transport.held[0]?.acknowledge();
    await closing;
    expect(world.disk.paths()).toEqual([]);
  });

  it('does not wait longer than its limit for a publish that hangs', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'held';
    const spool = await world.open();
    await world.append(spool, 'a');
    await world.clock.advance(RETRY_MS);
    let closed = false;
    void spool.close().then(() => (closed = true));
    await world.clock.advance(spoolDefaults.appendTimeoutMs);
    expect(closed).toBe(true);
    expect(world.clock.timerCount).toBe(0);
    expect(await world.restartAndDrain()).toEqual(['a']);
  });

  it('answers the appends that it had accepted', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    const appends = ['a', 'b'].map((body) => watch(spool.append(event(body))));
    await spool.close();
    expect(appends.map(({ result }) => result)).toEqual(['durable', 'durable']);
    expect(await world.restartAndDrain()).toEqual(['a', 'b']);
  });

  it('may be done twice, and before anything was opened', async () => {
    const world = new SpoolWorld();
    const spool = new FileSpool(world.disk, world.clock, world.transport.publish, spoolDefaults);
    await spool.close();
    await spool.close();
    expect(world.clock.timerCount).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { FIRST, RETRY_MS, SpoolWorld, event } from '../../test/support/spool-world.js';
import { scanSegment } from './spool-frame.js';

const HISTORIES = 150;

describe('a crash', () => {
  it('at every byte of an unsynced write loses nothing acknowledged and yields a prefix of the rest', async () => {
    for (let keptBytes = 0; ; keptBytes += 1) {
      const world = new SpoolWorld();
      const spool = await world.open();
      await world.append(spool, 'a', 'bb', 'ccc');
      world.disk.hang('sync');
      for (const body of ['d', 'ee']) void spool.append(event(body)).catch(() => undefined);
      await world.clock.settle();
      const published = await world.restartAndDrain(keptBytes);
      expect(published.slice(0, 3), `${keptBytes} bytes kept`).toEqual(['a', 'bb', 'ccc']);
      expect(['d', 'ee'].slice(0, published.length - 3)).toEqual(published.slice(3));
      expect(world.disk.paths()).toEqual([]);
      if (published.length === 5) return;
    }
  });

  it('at every length of a segment leaves exactly the frames that are complete, and cuts the rest away', async () => {
    const source = new SpoolWorld();
    const bodies = ['a', 'bb', 'ccc'];
    const ends: number[] = [];
    const spool = await source.open();
    for (const body of bodies) {
      await source.append(spool, body);
      ends.push(source.disk.content(FIRST).length);
    }
    const whole = source.disk.content(FIRST);
    for (let length = 0; length <= whole.length; length += 1) {
      const world = new SpoolWorld();
      world.disk.put(FIRST, whole.subarray(0, length));
      const reopened = await world.open();
      const complete = ends.filter((end) => end <= length);
      expect(world.disk.content(FIRST).length).toBe(complete.at(-1) ?? 0);
      expect(reopened.state()).toMatchObject({ depth: complete.length, damagedSegments: 0 });
      await world.append(reopened, 'new');
      await world.clock.advance(RETRY_MS);
      expect(world.transport.bodies).toEqual([...bodies.slice(0, complete.length), 'new']);
      await reopened.close();
    }
  });

  it('does not restart the numbers of frames while earlier ones wait', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'down';
    await world.append(await world.open(), 'a', 'b');
    world.disk = world.disk.crash();
    await world.append(await world.open(), 'c');
    const sequences = world.disk.paths().map((path) => {
      return scanSegment(world.disk.content(path)).frames.map(({ sequence }) => sequence);
    });
    expect(sequences).toEqual([[1, 2], [3]]);
  });

  it('between the publish and the removal publishes the segment again', async () => {
    const world = new SpoolWorld();
    const spool = await world.open();
    await world.append(spool, 'a', 'b');
    world.disk.hang('remove');
    await world.clock.advance(RETRY_MS);
    expect(world.transport.bodies).toEqual(['a', 'b']);
    expect(await world.restartAndDrain()).toEqual(['a', 'b']);
  });

  it('loses nothing acknowledged and reorders nothing in hundreds of histories of faults', async () => {
    let acknowledgedCount = 0;
    for (let seed = 1; seed <= HISTORIES; seed += 1) acknowledgedCount += await runHistory(seed);
    // A run in which hardly anything was accepted would show nothing.
    expect(acknowledgedCount).toBeGreaterThan(HISTORIES * 10);
  });
});

describe('a damaged segment', () => {
  async function threeFrames(): Promise<{ content: Buffer; secondAt: number }> {
    const world = new SpoolWorld();
    const spool = await world.open();
    await world.append(spool, 'a');
    const secondAt = world.disk.content(FIRST).length;
    await world.append(spool, 'b', 'c');
    const content = world.disk.content(FIRST);
    await spool.close();
    content.writeUInt8(content.readUInt8(secondAt + 30) ^ 1, secondAt + 30);
    return { content, secondAt };
  }

  it('has its intact frames published and is set aside, not deleted', async () => {
    const { content } = await threeFrames();
    const world = new SpoolWorld();
    world.disk.put(FIRST, content);
    const spool = await world.open();
    expect(spool.state()).toMatchObject({ depth: 2, damagedSegments: 1 });
    expect(world.warnings).toEqual(['spool.segment.damaged']);
    await world.clock.advance(RETRY_MS);
    expect(world.transport.bodies).toEqual(['a', 'c']);
    expect(world.disk.paths()).toEqual([`${FIRST}.damaged`]);
    expect(world.disk.content(`${FIRST}.damaged`)).toEqual(content);
    expect(spool.state()).toMatchObject({ depth: 0, bytes: 0, damagedSegments: 1 });
    await spool.close();
  });

  it('is counted again after a restart, and its number is not used again', async () => {
    const world = new SpoolWorld();
    world.disk.put(`${FIRST}.damaged`, Buffer.from('for a person'));
    world.disk.put('/spool/notes.txt', Buffer.from('not ours'));
    const spool = await world.open();
    expect(spool.state()).toMatchObject({ depth: 0, damagedSegments: 1 });
    await world.append(spool, 'a');
    expect(world.disk.paths()).toEqual([`${FIRST}.damaged`, '/spool/00000002.spool', '/spool/notes.txt']);
    await world.clock.advance(RETRY_MS);
    expect(world.disk.paths()).toEqual([`${FIRST}.damaged`, '/spool/notes.txt']);
    await spool.close();
  });

  it('is found also when it is read back in the process that wrote it', async () => {
    const world = new SpoolWorld();
    world.transport.mode = 'down';
    const spool = await world.open({ segmentBytesMax: 160 });
    await world.append(spool, 'a', 'b', 'c', 'd', 'e', 'f');
    const second = '/spool/00000002.spool';
    const content = world.disk.content(second);
    content.writeUInt8(content.readUInt8(content.length - 1) ^ 1, content.length - 1);
    world.disk.put(second, content);
    world.transport.mode = 'up';
    await world.clock.advance(1_000);
    expect(world.transport.bodies).toEqual(['a', 'b', 'c', 'e', 'f']);
    expect(spool.state()).toMatchObject({ depth: 0, damagedSegments: 1 });
    expect(spool.isHolding()).toBe(false);
    expect(world.disk.paths()).toEqual([`${second}.damaged`]);
    await spool.close();
  });
});

/** Small and fast; the same seed gives the same history. */
function chance(seed: number): (below: number) => number {
  let state = seed * 2_654_435_761;
  return (below) => {
    state = (Math.imul(state ^ (state >>> 15), 2_246_822_519) + 3_266_489_917) >>> 0;
    return (state >>> 8) % below;
  };
}

async function runHistory(seed: number): Promise<number> {
  const pick = chance(seed);
  const world = new SpoolWorld();
  const acknowledged: string[] = [];
  const options = { segmentBytesMax: 150 + pick(400), drainBatchMax: 1 + pick(4) };
  let spool = await world.open(options);
  for (let step = 0; step < 25; step += 1) {
    const body = `${step}`;
    const bodies = [`${body}.1`, `${body}.2`, `${body}.3`].slice(0, pick(4));
    const operation = (['openAppend', 'append', 'sync', 'close', 'remove', 'read'] as const)[pick(6)] ?? 'sync';
    if (pick(3) === 0) world.disk.fail(operation, { code: 'EIO', bytesWritten: pick(200) });
    const hang = pick(6) === 0 ? world.disk.hang(operation) : null;
    world.transport.mode = (['up', 'slow', 'down'] as const)[pick(3)] ?? 'up';
    for (const each of bodies) {
      spool.append(event(each)).then(
        () => acknowledged.push(each),
        () => undefined,
      );
    }
    await world.clock.advance(pick(300));
    if (pick(4) === 0) {
      world.disk = world.disk.crash(pick(300));
      spool = await world.open(options);
    }
    hang?.release();
    await world.clock.settle();
  }
  world.disk = world.disk.crash(pick(300));
  world.transport.mode = 'up';
  spool = await world.open(options);
  await world.clock.advance(10_000);
  const firstAt = acknowledged.map((body) => world.transport.bodies.indexOf(body));
  expect(firstAt.includes(-1), `seed=${seed}: an acknowledged event is lost`).toBe(false);
  // A number that decides by arithmetic: "10.1" follows "9.3".
  const order = acknowledged.map((body) => Number(body));
  expect(order, `seed=${seed}`).toEqual([...order].sort((a, b) => a - b));
  expect(firstAt, `seed=${seed}: acknowledged events changed places`).toEqual([...firstAt].sort((a, b) => a - b));
  expect(spool.state(), `seed=${seed}`).toMatchObject({ depth: 0, bytes: 0, damagedSegments: 0 });
  expect(world.disk.paths(), `seed=${seed}`).toEqual([]);
  await world.end(spool.close());
  return acknowledged.length;
}

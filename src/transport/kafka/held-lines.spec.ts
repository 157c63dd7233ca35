import { describe, expect, it } from 'vitest';
import { HeldLines, type HeldRecord, type TakenRecord } from './held-lines.js';

let offset = 0;
const record = (line: string, partition = 0): HeldRecord => ({ partition, offset: (offset += 1), line, bytes: 10 });

function lines(...names: string[]): HeldLines<HeldRecord> {
  const held = new HeldLines<HeldRecord>();
  for (const name of names) held.add(record(name));
  return held;
}

const names = (taken: readonly TakenRecord<HeldRecord>[]): string[] => taken.map(({ record: { line } }) => line);

describe('HeldLines', () => {
  it('hands out several records of a key together and in order, and then holds the key', () => {
    const held = lines('a', 'b', 'a');
    const taken = held.take(10, 0);
    expect(names(taken)).toEqual(['a', 'a', 'b']);
    expect(taken[0]!.record.offset).toBeLessThan(taken[1]!.record.offset);
    held.add(record('a'));
    expect(held.take(10, 0)).toEqual([]);
  });

  it('frees a key when all of its records in hand are decided', () => {
    const held = lines('a', 'a', 'a');
    const [first, second] = held.take(2, 0);
    expect(held.settled(first!, 0)).toEqual({ kind: 'held' });
    expect(held.take(10, 0)).toEqual([]);
    expect(held.settled(second!, 0)).toEqual({ kind: 'free' });
    expect(held.take(10, 0)).toHaveLength(1);
  });

  it('hands out what came back before what waits, in order, also when it comes back in another', () => {
    const held = lines('a', 'a', 'a');
    const [first, second] = held.take(2, 0);
    held.back(second!, 0, 0);
    held.back(first!, 0, 0);
    const again = held.take(10, 0);
    expect(again.map(({ record: { offset: at } }) => at)).toEqual([
      first!.record.offset,
      second!.record.offset,
      second!.record.offset + 1,
    ]);
  });

  it('blocks only the key that came back, until its time', () => {
    const held = lines('a', 'a', 'b');
    const [first] = held.take(1, 0);
    expect(held.back(first!, 50, 0)).toEqual({ kind: 'blocked', until: 50 });
    expect(names(held.take(10, 0))).toEqual(['b']);
    held.unblock(first!.line);
    expect(names(held.take(10, 50))).toEqual(['a', 'a']);
  });

  it('keeps keys of different partitions apart, and passes by partitions that may not be taken', () => {
    const held = lines('a');
    held.add(record('a', 1));
    expect(held.take(10, 0, (partition) => partition === 1).map(({ record: { partition } }) => partition)).toEqual([1]);
    expect(held.take(10, 0).map(({ record: { partition } }) => partition)).toEqual([0]);
  });

  it('counts what a partition holds, in hand too, until it is settled', () => {
    const held = lines('a', 'b');
    const [first] = held.take(1, 0);
    expect(held.amount(0)).toEqual({ records: 2, bytes: 20 });
    held.settled(first!, 0);
    expect(held.amount(0)).toEqual({ records: 1, bytes: 10 });
    expect(held.amount(1)).toEqual({ records: 0, bytes: 0 });
  });

  it('forgets a partition, and what is decided afterwards from its former life changes nothing', () => {
    const held = lines('a', 'a');
    const [first, second] = held.take(2, 0);
    held.drop(0);
    held.add(record('a'));
    expect(held.settled(first!, 0)).toEqual({ kind: 'held' });
    expect(held.back(second!, 50, 0)).toEqual({ kind: 'held' });
    held.unblock(second!.line);
    expect(held.amount(0)).toEqual({ records: 1, bytes: 10 });
    expect(held.take(10, 0)).toHaveLength(1);
  });
});

import { describe, expect, it } from 'vitest';
import { KeyLines, type TakenId } from './key-lines.js';

const seqs = (taken: readonly TakenId[]): number[] => taken.map(({ seq }) => seq);

function linesOf(lineMax: number, offers: readonly [number, string][]): KeyLines {
  const lines = new KeyLines(lineMax);
  for (const [seq, key] of offers) lines.offer(seq, key);
  return lines;
}

describe('KeyLines', () => {
  it('hands out several messages of a key in order and holds the key until all are decided', () => {
    const lines = linesOf(10, [
      [1, 'a'],
      [2, 'b'],
      [3, 'a'],
      [4, 'a'],
    ]);
    const taken = lines.take(2, 0);
    expect(seqs(taken)).toEqual([1, 3]);
    expect(seqs(lines.take(9, 0))).toEqual([2]);
    expect(lines.settled(taken[0]!.line, 0)).toEqual({ kind: 'held' });
    expect(lines.take(9, 0)).toEqual([]);
    expect(lines.settled(taken[1]!.line, 0)).toEqual({ kind: 'free' });
    expect(seqs(lines.take(9, 0))).toEqual([4]);
  });

  it('puts what comes back before what waits, in order, however it was given back', () => {
    const lines = linesOf(10, [
      [1, 'a'],
      [2, 'a'],
      [3, 'a'],
    ]);
    const [first, second] = lines.take(2, 0);
    lines.back(second!.line, 2, 0, 0);
    lines.back(first!.line, 1, 0, 0);
    expect(seqs(lines.take(9, 0))).toEqual([1, 2, 3]);
  });

  it('blocks a key until its first message is due, and lets a later one wait longer than the first', () => {
    const lines = linesOf(10, [
      [1, 'a'],
      [2, 'a'],
    ]);
    const [first, second] = lines.take(2, 0);
    lines.back(first!.line, 1, 50, 0);
    expect(lines.back(second!.line, 2, 900, 0)).toEqual({ kind: 'blocked', until: 50 });
    expect(lines.take(9, 60)).toEqual([]);
    lines.unblock(first!.line);
    expect(seqs(lines.take(9, 60))).toEqual([1]);
    expect(lines.settled(first!.line, 60)).toEqual({ kind: 'blocked', until: 900 });
  });

  it('keeps a blocked key blocked when more of it is met', () => {
    const lines = linesOf(10, [[1, 'a']]);
    const [only] = lines.take(1, 0);
    lines.back(only!.line, 1, 50, 0);
    lines.offer(2, 'a');
    expect(lines.take(9, 10)).toEqual([]);
  });

  it('passes by what a line has no room for, and asks for it once the line is empty', () => {
    const lines = linesOf(3, [
      [1, 'a'],
      [2, 'a'],
      [3, 'a'],
      [4, 'a'],
    ]);
    expect(lines.size).toBe(3);
    const taken = lines.take(9, 0);
    // Room again, but 4 was passed by: taking 5 now would turn them round.
    lines.offer(5, 'a');
    for (const { line } of taken) lines.settled(line, 0);
    expect(lines.take(9, 0)).toEqual([]);
    const [hungry] = lines.hungryLines(9);
    expect(hungry).toMatchObject({ orderingKey: 'a', highestSeq: 3 });
    lines.fill(hungry!, [4, 5], false);
    expect(lines.hungryCount).toBe(0);
    // The scan comes to what the fill has read already.
    lines.offer(5, 'a');
    lines.offer(6, 'a');
    expect(seqs(lines.take(9, 0))).toEqual([4, 5, 6]);
  });

  it('forgets a key that has nothing left', () => {
    const lines = linesOf(2, [[1, 'a']]);
    lines.settled(lines.take(1, 0)[0]!.line, 0);
    expect([lines.size, lines.hungryCount, lines.readyCount]).toEqual([0, 0, 0]);
    const cut = linesOf(1, [
      [1, 'a'],
      [2, 'a'],
    ]);
    cut.settled(cut.take(1, 0)[0]!.line, 0);
    cut.fill(cut.hungryLines(1)[0]!, [], false);
    expect([cut.size, cut.hungryCount]).toEqual([0, 0]);
    cut.offer(3, 'a');
    expect(seqs(cut.take(1, 0))).toEqual([3]);
  });

  it('forgets all but the first of each key when it must make room, and reads the rest again later', () => {
    const lines = linesOf(10, [
      [1, 'a'],
      [2, 'a'],
      [3, 'b'],
      [4, 'a'],
    ]);
    lines.trim();
    expect(lines.size).toBe(2);
    const taken = lines.take(9, 0);
    expect(seqs(taken)).toEqual([1, 3]);
    for (const { line } of taken) lines.settled(line, 0);
    expect(lines.hungryLines(9).map(({ orderingKey, highestSeq }) => [orderingKey, highestSeq])).toEqual([['a', 1]]);
  });

  it('serves the key that waited longest first', () => {
    const lines = linesOf(10, [
      [1, 'a'],
      [2, 'a'],
      [3, 'b'],
    ]);
    const [first] = lines.take(1, 0);
    lines.settled(first!.line, 0);
    expect(seqs(lines.take(9, 0))).toEqual([3, 2]);
  });
});

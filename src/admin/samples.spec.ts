import { describe, expect, it } from 'vitest';
import { between, quantileBound, sampleAt, type Sample } from './samples.js';

const sample = (at: number, published: number, fast: number, all: number): Sample => ({
  ...{ at, answers: { published }, refused: {} },
  buckets: [
    { leSeconds: 0.1, count: fast },
    { leSeconds: Infinity, count: all },
  ],
});

describe('samples', () => {
  it('tell what was counted between two of them, and leave out what was not', () => {
    const earlier = { ...sample(1, 10, 8, 10), refused: { A: 2 } };
    const later = { ...sample(2, 15, 11, 15), refused: { A: 2, B: 1 } };
    expect(between(earlier, later)).toEqual({
      ...{ at: 2, answers: { published: 5 }, refused: { B: 1 } },
      buckets: [
        { leSeconds: 0.1, count: 3 },
        { leSeconds: Infinity, count: 5 },
      ],
    });
  });

  it.each([
    [5, 10],
    [10, 10],
    [19, 10],
    [20, 20],
    [99, 30],
  ])('are looked up by time: for %i the one of %i', (at, expected) => {
    expect(sampleAt([sample(10, 0, 0, 0), sample(20, 0, 0, 0), sample(30, 0, 0, 0)], at)?.at).toBe(expected);
  });

  it.each([
    [0.5, 0.1],
    [0.9, 0.1],
    [0.91, Infinity],
  ])('tell the bound below which a share of %d was answered: %d s', (share, expected) => {
    expect(quantileBound(sample(0, 0, 9, 10).buckets, share)).toBe(expected);
  });

  it('tell no bound when nothing was answered', () => {
    expect(quantileBound(sample(0, 0, 0, 0).buckets, 0.5)).toBeNull();
  });
});

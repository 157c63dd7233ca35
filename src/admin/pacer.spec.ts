import { describe, expect, it } from 'vitest';
import { Pacer } from './pacer.js';

/** Turns taken over `seconds`, asked for every `everyMs`. */
function turnsIn(seconds: number, rate: number, everyMs: number, max = 1_000): number {
  const pacer = new Pacer(rate, 0);
  let taken = 0;
  for (let now = 0; now < seconds * 1_000; now += everyMs) taken += pacer.take(now, max);
  return taken;
}

describe('Pacer', () => {
  it.each([1, 7, 50, 333, 1_000])('keeps %d a second within a tenth, however often it is asked', (rate) => {
    for (const everyMs of [3, 50, 130, 400]) {
      const taken = turnsIn(20, rate, everyMs);
      expect(Math.abs(taken - 20 * rate)).toBeLessThanOrEqual(Math.max(2, 2 * rate));
    }
  });

  it('makes up for a short stall and never for a long one', () => {
    const pacer = new Pacer(100, 0);
    pacer.take(0, 1_000);
    expect(pacer.take(400, 1_000)).toBe(40);
    expect(pacer.take(60_400, 1_000)).toBe(50);
  });

  it('keeps what was not taken for the next time', () => {
    const pacer = new Pacer(100, 0);
    expect([pacer.take(300, 10), pacer.take(300, 10), pacer.take(300, 100)]).toEqual([10, 10, 11]);
  });
});

import { describe, expect, it } from 'vitest';
import { type PlannedDelivery, schedule } from './schedule.js';

const OPTIONS = { seed: 1, duplicates: 2, isShuffled: false, window: 50, hangUpShare: 0.1 };

function firsts(plan: readonly PlannedDelivery[]): number[] {
  return [...new Set(plan.map(({ event }) => event))];
}

describe('schedule', () => {
  it('delivers each event one to D + 1 times, and is the same for the same seed', () => {
    const plan = schedule(1_000, OPTIONS);
    const counts = new Map<number, number>();
    for (const { event } of plan) counts.set(event, (counts.get(event) ?? 0) + 1);
    expect(counts.size).toBe(1_000);
    expect(new Set(counts.values())).toEqual(new Set([1, 2, 3]));
    expect(schedule(1_000, OPTIONS)).toEqual(plan);
  });

  it('keeps the order of first deliveries unless it is told to shuffle', () => {
    expect(firsts(schedule(500, OPTIONS))).toEqual(Array.from({ length: 500 }, (_, event) => event));
  });

  it('shuffles within the window and no further', () => {
    const plan = schedule(1_000, { ...OPTIONS, duplicates: 0, isShuffled: true });
    const moves = plan.map(({ event }, place) => Math.abs(event - place));
    expect(Math.max(...moves)).toBeGreaterThan(20);
    expect(Math.max(...moves)).toBeLessThanOrEqual(50);
  });

  it('hangs up on about the asked share of deliveries', () => {
    const count = schedule(5_000, OPTIONS).filter(({ hangsUp }) => hangsUp).length;
    expect(count).toBeGreaterThan(500);
    expect(count).toBeLessThan(1_500);
    expect(schedule(500, { ...OPTIONS, hangUpShare: 0 }).some(({ hangsUp }) => hangsUp)).toBe(false);
  });
});

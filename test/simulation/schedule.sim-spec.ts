import { hash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from './mutants/mutants.js';
import { Schedule } from './schedule.js';

const run = (seed: number, name?: string): ReturnType<Schedule['run']> =>
  new Schedule({ seed, isTold: true, mutation: MUTANTS.find((mutant) => mutant.name === name) ?? null }).run();
const digest = (history: readonly string[]): string => hash('sha256', history.join('\n'), 'hex');

describe('a schedule', () => {
  it('is the same to the last byte for the same seed, and another one for another', async () => {
    const [first, again, other] = [await run(7), await run(7), await run(8)];
    expect(first.history.length).toBeGreaterThan(500);
    expect(digest(again.history)).toBe(digest(first.history));
    expect(digest(other.history)).not.toBe(digest(first.history));
  });

  it('is the same whether it is told or not', async () => {
    const [told, silent] = [await run(9), await new Schedule({ seed: 9 }).run()];
    expect([silent.steps, silent.virtualMs, [...silent.hits]]).toEqual([told.steps, told.virtualMs, [...told.hits]]);
  });

  it('finds nothing wrong with the product', async () => {
    for (let seed = 1; seed <= 8; seed += 1) expect((await run(seed)).violations).toEqual([]);
  });

  it('finds a wrong product wrong', async () => {
    const { violations } = await run(1, 'publish after the answer');
    expect(violations[0]).toContain('I1');
  });
});

import type { Mutation } from './roles/mutation.js';
import { Schedule } from './schedule.js';

export interface MutantReport {
  readonly name: string;
  readonly seeds: number;
  readonly caught: number;
  /** By invariant, most first. */
  readonly by: readonly (readonly [invariant: string, count: number])[];
  readonly firstSeed: number | null;
}

export interface Until {
  readonly seeds: number;
  readonly caught: number;
}

/** Runs a wrong product until it was caught often enough for an average, or the seeds are used up. */
export async function runMutant(mutation: Mutation, seedFrom: number, until: Until): Promise<MutantReport> {
  const by = new Map<string, number>();
  let [seeds, caught] = [0, 0];
  let firstSeed: number | null = null;
  for (let seed = seedFrom; seeds < until.seeds && caught < until.caught; seed += 1) {
    const { violations } = await new Schedule({ seed, mutation }).run();
    seeds += 1;
    if (violations.length === 0) continue;
    caught += 1;
    firstSeed ??= seed;
    for (const invariant of new Set(violations.map((violation) => violation.split(':')[0] ?? '')))
      by.set(invariant, (by.get(invariant) ?? 0) + 1);
  }
  return { name: mutation.name, seeds, caught, by: [...by].sort((a, b) => b[1] - a[1]), firstSeed };
}

export function reportLine({ name, seeds, caught, by, firstSeed }: MutantReport): string {
  const invariants = by.map(([invariant, count]) => `${invariant.split(' ')[0]}×${count}`).join(' ');
  const every = caught === 0 ? 'NEVER' : `every ${(seeds / caught).toFixed(1)}`;
  return `${every.padEnd(12)} (${caught}/${seeds}, first seed ${firstSeed ?? '-'})  ${name.padEnd(60)} ${invariants}`;
}

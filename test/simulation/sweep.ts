import { SeededRandom } from '../../src/simulator/seeded-random.js';
import { Schedule } from './schedule.js';
import { told, type Told } from './tally.js';
import type { CrashPoint, When } from './world/world.js';

export interface Point {
  readonly label: string;
  readonly when: When;
  /** How often the call is made in a history without a crash. */
  readonly count: number;
}

export type Pair = readonly [Point, Point | null];

const HISTORIES = 6;

/** Every call that the request path and the worker path make, before and after it. */
export async function sweepPoints(seed: number): Promise<Point[]> {
  const counts = new Map<string, number>();
  // One history does not meet all of them.
  for (let index = 0; index < HISTORIES; index += 1) {
    const { labels } = await new Schedule({ seed: seed + index, crashPoints: [] }).run();
    for (const [label, count] of labels) counts.set(label, Math.max(counts.get(label) ?? 0, count));
  }
  const labels = [...counts].sort(([one], [other]) => (one < other ? -1 : 1));
  return labels.flatMap(([label, count]) => (['before', 'after'] as const).map((when) => ({ label, when, count })));
}

/** Each point alone, and each pair of them in both orders of coming. */
export function pairsOf(points: readonly Point[]): Pair[] {
  return points.flatMap((one, index) => [
    [one, null] as Pair,
    ...points.slice(index).map((other): Pair => [one, other]),
  ]);
}

/** Crashes at one of the times that the call is made, which the pair's own seed decides; the second after the first or not. */
export async function sweepPair(pair: Pair, seed: number): Promise<Told> {
  const name = pair.map((point) => (point ? `${point.when} ${point.label}` : 'nothing')).join(' and ');
  const random = new SeededRandom(seed, name);
  const crashPoints = pair.flatMap((point): CrashPoint[] =>
    point ? [{ label: point.label, when: point.when, skip: random.upTo(Math.max(0, point.count - 1)) }] : [],
  );
  const result = await new Schedule({ seed: seed + random.upTo(HISTORIES - 1), crashPoints }).run();
  const violations = result.violations.map((violation) => `crash ${name}: ${violation}`);
  return told({ ...result, violations }, 0);
}

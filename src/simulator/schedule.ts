import { SeededRandom } from './seeded-random.js';

/** One of the deliveries of an event. */
export interface PlannedDelivery {
  /** Index of the event in the workload. */
  readonly event: number;
  /** The first attempt hangs up instead of waiting for the answer, as if the answer had been lost on the way. */
  readonly hangsUp: boolean;
}

export interface ScheduleOptions {
  readonly seed: number;
  readonly duplicates: number;
  readonly isShuffled: boolean;
  readonly window: number;
  readonly hangUpShare: number;
}

const SIDE_BY_SIDE_CHANCE = 0.4;

/**
 * Which event is delivered when. A delivery's place is its event's plus a delay: none for a first delivery in order, up
 * to the window for a shuffled one or a duplicate. Some duplicates come side by side with their first.
 */
export function schedule(eventCount: number, options: ScheduleOptions): PlannedDelivery[] {
  const random = new SeededRandom(options.seed, 'schedule');
  const placed: { place: number; delivery: PlannedDelivery }[] = [];
  for (let event = 0; event < eventCount; event++) {
    const copies = 1 + random.upTo(options.duplicates);
    const first = event + (options.isShuffled ? random.fraction() * options.window : 0);
    for (let copy = 0; copy < copies; copy++) {
      const isLater = copy > 0 && !random.chance(SIDE_BY_SIDE_CHANCE);
      // Shuffled, a duplicate takes a place of its own and may overtake the first.
      const place = isLater ? event + random.fraction() * options.window : first;
      placed.push({ place, delivery: { event, hangsUp: random.chance(options.hangUpShare) } });
    }
  }
  return placed.sort((left, right) => left.place - right.place).map(({ delivery }) => delivery);
}

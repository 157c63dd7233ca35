import type { RunIds } from './run-ids.js';
import type { SeededRandom } from './seeded-random.js';

export interface Surroundings {
  /** `ToUserName`: the corp. */
  readonly corpId: string;
  readonly ids: RunIds;
  readonly random: SeededRandom;
}

/** The life of one business object, told by its events. Each step is legal after the one before. */
export abstract class History {
  /** The plaintext of the next event, or null when nothing new can happen to the object within this second. */
  abstract next(second: number): string | null;

  /** No event follows. */
  abstract isOver(): boolean;
}

import type { SeededRandom } from '../../../src/simulator/seeded-random.js';
import type { Life } from './life.js';

export interface Entry {
  at: number;
  readonly tie: number;
  readonly order: number;
  readonly run: () => void;
  /** Whose continuation it is: it dies with that life and waits while that life is paused. Null: the world's own. */
  readonly life: Life | null;
  isCancelled: boolean;
}

/**
 * Virtual time and all that is pending in it. One entry runs at a time, and before the next one every promise that it
 * settled has run to its end: a nextTick that is asked for within a microtask comes when no microtask is left, which is
 * exact and costs no turn of the event loop.
 */
export class Scheduler {
  now = 0;
  steps = 0;
  private readonly heap: Entry[] = [];
  private orderNext = 0;

  constructor(private readonly random: SeededRandom) {}

  /** Entries of one moment run in an order that the seed decides. */
  after(ms: number, life: Life | null, run: () => void): Entry {
    const at = this.now + Math.max(0, ms);
    const entry = { at, tie: this.random.fraction(), order: this.orderNext++, run, life, isCancelled: false };
    this.push(entry);
    return entry;
  }

  /** Runs entries until `isOver` says so, or none is left before `until`. Time then stands at `until`. */
  async run(until: number, isOver: () => boolean = () => false): Promise<void> {
    await settled();
    while (!isOver()) {
      const entry = this.heap[0];
      if (entry === undefined || entry.at > until) {
        this.now = Math.max(this.now, until);
        return;
      }
      this.pop();
      if (entry.isCancelled || (entry.life !== null && !entry.life.isAlive)) continue;
      if (entry.life !== null && entry.life.pausedUntil > entry.at) {
        // A process that was stopped finds all that came meanwhile at once, in no particular order.
        entry.at = entry.life.pausedUntil + this.random.fraction();
        this.push(entry);
        continue;
      }
      this.now = entry.at;
      this.steps += 1;
      entry.run();
      await settled();
    }
  }

  private push(entry: Entry): void {
    const { heap } = this;
    let index = heap.length;
    heap.push(entry);
    while (index > 0) {
      const parent = (index - 1) >> 1;
      if (!isBefore(entry, heap[parent]!)) break;
      heap[index] = heap[parent]!;
      index = parent;
    }
    heap[index] = entry;
  }

  private pop(): void {
    const { heap } = this;
    const last = heap.pop()!;
    if (heap.length === 0) return;
    let index = 0;
    for (;;) {
      let child = 2 * index + 1;
      if (child >= heap.length) break;
      if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
      if (!isBefore(heap[child]!, last)) break;
      heap[index] = heap[child]!;
      index = child;
    }
    heap[index] = last;
  }
}

function isBefore(one: Entry, other: Entry): boolean {
  if (one.at !== other.at) return one.at < other.at;
  return one.tie !== other.tie ? one.tie < other.tie : one.order < other.order;
}

/** Resolves when no microtask is left. */
export function settled(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}

import { Clock, type Timer } from '../../src/runtime/clock.js';

interface Entry {
  due: number;
  readonly order: number;
  /** Null for a timer that runs once. */
  readonly periodMs: number | null;
  readonly task: () => void;
}

// A loop that asks for the next turn for ever would keep `advance` from returning; a test had better fail.
const TURNS_MAX = 10_000;

/**
 * A clock that stands still until the test advances it. `nextTurn` is the real event loop's, so code that only groups
 * goes on without an advance. What waits for real I/O is not waited for: poll for its effect with a deadline.
 */
export class ManualClock extends Clock {
  private readonly entries = new Set<Entry>();
  private elapsed = 0;
  private orderNext = 0;
  private turnsAsked = 0;
  private advancing = false;

  constructor(private epoch = Date.UTC(2026, 0, 5, 8)) {
    super();
  }

  /** Timers and sleeps that have not run, for tests that check that nothing is left. */
  get timerCount(): number {
    return this.entries.size;
  }

  override now(): number {
    return this.epoch + this.elapsed;
  }

  override monotonic(): number {
    return this.elapsed;
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(asError(signal.reason));
        return;
      }
      const stop = (): void => {
        timer.cancel();
        reject(asError(signal?.reason));
      };
      const timer = this.after(ms, () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  override after(ms: number, task: () => void): Timer {
    return this.schedule(ms, null, task);
  }

  override every(ms: number, task: () => void): Timer {
    return this.schedule(ms, atLeastOne(ms), task);
  }

  override async nextTurn(): Promise<void> {
    this.turnsAsked += 1;
    await turn();
    this.turnsAsked -= 1;
  }

  /** Moves time by `ms` and runs what falls due, in order of due time; after each, its consequences run to their end. */
  async advance(ms: number): Promise<void> {
    if (this.advancing) throw new Error('the clock is already being advanced');
    this.advancing = true;
    try {
      const end = this.elapsed + ms;
      await this.settle();
      for (let entry = this.firstDue(end); entry !== null; entry = this.firstDue(end)) {
        // A timer set late in a turn may already be due; time does not go back for it.
        this.elapsed = Math.max(this.elapsed, entry.due);
        if (entry.periodMs === null) this.entries.delete(entry);
        else entry.due += entry.periodMs;
        entry.task();
        await this.settle();
      }
      this.elapsed = end;
    } finally {
      this.advancing = false;
    }
  }

  /** Lets everything run that needs no time: microtasks, and turns asked for with `nextTurn`. */
  async settle(): Promise<void> {
    let turns = 0;
    do {
      await turn();
      turns += 1;
      if (turns > TURNS_MAX) throw new Error('code under test asks for the next turn without end');
    } while (this.turnsAsked > 0);
  }

  /** Steps the wall clock alone, as an operator or NTP does. */
  stepWallClock(ms: number): void {
    this.epoch += ms;
  }

  private schedule(ms: number, periodMs: number | null, task: () => void): Timer {
    const entry: Entry = { due: this.elapsed + atLeastOne(ms), order: this.orderNext++, periodMs, task };
    this.entries.add(entry);
    return { cancel: () => void this.entries.delete(entry) };
  }

  private firstDue(end: number): Entry | null {
    let first: Entry | null = null;
    for (const entry of this.entries) {
      if (entry.due > end) continue;
      if (first === null || entry.due < first.due || (entry.due === first.due && entry.order < first.order))
        first = entry;
    }
    return first;
  }
}

/** Node's timers take no less than a millisecond either; it also keeps a period from being nothing. */
function atLeastOne(ms: number): number {
  return ms >= 1 ? ms : 1;
}

function turn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}

import type { Clock } from '../runtime/clock.js';
import { within } from '../runtime/within.js';

export interface ReadingOptions {
  /** Several gauges, and several who scrape, share one reading for so long. */
  readonly everyMs: number;
  /** A dependency that hangs must not hang the scrape. */
  readonly limitMs: number;
}

/** What gauges show of something that has to be asked: seldom, within a limit, and one question at a time. */
export class Reading<T> {
  private last: { readonly at: number; readonly value: Promise<T | null> } | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly what: string,
    private readonly read: () => Promise<T>,
    private readonly options: ReadingOptions,
  ) {}

  /** Null when there was no answer: an old number would look like one. Never rejects. */
  get(): Promise<T | null> {
    const now = this.clock.monotonic();
    if (this.last === null || now - this.last.at >= this.options.everyMs) {
      const value = within(this.clock, this.options.limitMs, this.what, this.read()).catch(() => null);
      this.last = { at: now, value };
    }
    return this.last.value;
  }
}

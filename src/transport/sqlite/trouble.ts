import type { Clock } from '../../runtime/clock.js';

/** Remembers since when a piece of work fails, until it works again. */
export class Trouble {
  private current: { since: number; reason: string } | null = null;

  constructor(private readonly clock: Clock) {}

  failed(error: unknown): void {
    const reason = error instanceof Error ? error.message : String(error);
    // The first failure dates the outage; the latest one names it.
    this.current = { since: this.current?.since ?? this.clock.now(), reason };
  }

  worked(): void {
    this.current = null;
  }

  state(): { since: number; reason: string } | null {
    return this.current;
  }
}

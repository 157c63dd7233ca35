import type { Clock } from '../runtime/clock.js';

export interface Outage {
  /** The first failure, milliseconds since 1970. */
  readonly since: number;
  /** The latest one. */
  readonly reason: string;
}

/**
 * Keeps a dead store from costing its time limit on every call: after some failures in a row it opens, and calls are
 * refused without being tried until somebody has seen the store answer again.
 */
export class CircuitBreaker {
  private failuresInARow = 0;
  private failingSince = 0;
  private current: Outage | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly failuresMax: number,
  ) {}

  /** Null while it is closed, so that calls go through. */
  get outage(): Outage | null {
    return this.current;
  }

  /** A call had its answer. One that comes after the breaker has opened is late, and proves nothing. */
  worked(): void {
    if (this.current === null) this.failuresInARow = 0;
  }

  /** A call failed. True when this failure opened the breaker. */
  failed(reason: string): boolean {
    // Calls that were under way fail with their connection; the reason that opened the breaker says more.
    if (this.current !== null) return false;
    if (this.failuresInARow === 0) this.failingSince = this.clock.now();
    this.failuresInARow += 1;
    return this.failuresInARow >= this.failuresMax && this.open(reason);
  }

  /** The store cannot work, whatever the number of failures. True when this opened the breaker. */
  open(reason: string): boolean {
    const isNew = this.current === null;
    const began = this.failuresInARow > 0 ? this.failingSince : this.clock.now();
    this.current = { since: this.current?.since ?? began, reason };
    return isNew;
  }

  /** The store has been seen to answer. Returns the outage that ended. */
  close(): Outage | null {
    const ended = this.current;
    this.current = null;
    this.failuresInARow = 0;
    return ended;
  }
}

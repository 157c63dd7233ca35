import { SystemClock } from '../../src/runtime/system-clock.js';

/** The machine's clock, some way ahead: for what ends after hours, where waiting for a database has to be real. */
export class ShiftedClock extends SystemClock {
  private aheadMs = 0;

  override now(): number {
    return super.now() + this.aheadMs;
  }

  skip(ms: number): void {
    this.aheadMs += ms;
  }
}

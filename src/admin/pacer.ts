// What a stall may be made up for. More would be a burst; less would make each stall a loss of speed.
const SAVED_MS_MAX = 500;

/** Hands out turns at a rate. Pure: the caller brings the time, one that never goes backwards. */
export class Pacer {
  private turns = 1;

  constructor(
    readonly perSecond: number,
    private last: number,
  ) {}

  /** Turns that may be taken now, at most `max`; they are taken. */
  take(now: number, max: number): number {
    // Two, since with one the rest of a turn would be lost each time that it is asked late.
    const turnsMax = Math.max(2, (this.perSecond * SAVED_MS_MAX) / 1_000);
    this.turns = Math.min(turnsMax, this.turns + ((now - this.last) * this.perSecond) / 1_000);
    this.last = now;
    const taken = Math.min(Math.floor(this.turns), max);
    this.turns -= taken;
    return taken;
  }
}

import { hash } from 'node:crypto';

/** Chance that a seed replays (the mulberry32 generator). Not for secrets. */
export class SeededRandom {
  private state: number;

  /** Each label is a stream of its own, so that a draw more in one part of a run changes nothing in the others. */
  constructor(seed: number, label: string) {
    this.state = Number.parseInt(hash('sha256', `${seed}/${label}`, 'hex').slice(0, 8), 16);
  }

  /** In [0, 1). */
  fraction(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), this.state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  /** A whole number from 0 to `max`, both included. */
  upTo(max: number): number {
    return Math.floor(this.fraction() * (max + 1));
  }

  chance(probability: number): boolean {
    return this.fraction() < probability;
  }

  pick<T>(items: readonly [T, ...T[]]): T {
    return items[this.upTo(items.length - 1)] ?? items[0];
  }

  bytes(count: number): Buffer {
    const bytes = Buffer.alloc(count);
    for (let index = 0; index < count; index++) bytes[index] = this.upTo(255);
    return bytes;
  }
}

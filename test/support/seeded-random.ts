import { Random } from '../../src/runtime/random.js';

/** The same chance in every run: tokens count up, fractions come from one seed (mulberry32). */
export class SeededRandom extends Random {
  private tokens = 0;

  constructor(private state = 1) {
    super();
  }

  override token(): string {
    this.tokens += 1;
    return `token-${String(this.tokens).padStart(16, '0')}`;
  }

  override fraction(): number {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  }

  override bytes(count: number): Buffer {
    return Buffer.from(Array.from({ length: count }, () => Math.floor(this.fraction() * 256)));
  }
}

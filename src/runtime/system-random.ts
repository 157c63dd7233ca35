import { randomBytes } from 'node:crypto';
import { Random } from './random.js';

// One call into the kernel serves this many tokens; a call each would cost more than the rest of a claim.
const TOKENS_PER_REFILL = 256;
const TOKEN_BYTES = 16;

/** The machine's own chance. */
export class SystemRandom extends Random {
  private pool = Buffer.alloc(0);
  private offset = 0;

  override token(): string {
    if (this.offset >= this.pool.length) {
      this.pool = randomBytes(TOKENS_PER_REFILL * TOKEN_BYTES);
      this.offset = 0;
    }
    const token = this.pool.toString('base64url', this.offset, this.offset + TOKEN_BYTES);
    this.offset += TOKEN_BYTES;
    return token;
  }

  override fraction(): number {
    return Math.random();
  }

  override bytes(count: number): Buffer {
    return randomBytes(count);
  }
}

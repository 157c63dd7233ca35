import { Injectable } from '@nestjs/common';
import { hash, verify, type Options } from '@node-rs/argon2';
import { Random } from '../runtime/random.js';
import { TooManyAttemptsError } from './too-many-attempts-error.js';

/**
 * Argon2id, the library's default algorithm, with the least cost that OWASP recommends
 * (https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html): 19 MiB, two passes, one thread.
 */
const COST: Options = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };
// The work runs in Node's thread pool, four threads wide, in which the spool's disk and DNS wait too.
const RUNNING_MAX = 2;
const WAITING_MAX = 32;
const BUSY_RETRY_MS = 2_000;

/** Hashes and checks passwords: few at once, and past a limit none, so that logins cannot take the process's memory. */
@Injectable()
export class PasswordHasher {
  private running = 0;
  private readonly waiting: (() => void)[] = [];
  private nobodys: Promise<string> | null = null;

  constructor(private readonly random: Random) {}

  /** Rejects with `TooManyAttemptsError` when too many are under way. */
  async hash(password: string): Promise<string> {
    return this.inTurn(() => hash(asHashed(password), COST));
  }

  /**
   * Whether it is the password of `passwordHash`. Without one the answer is no, after the same work: how long it takes
   * does not tell whether a name exists. Rejects as `hash` does.
   */
  async verify(passwordHash: string | null, password: string): Promise<boolean> {
    const against = passwordHash ?? (await this.hashOfNobody());
    const isRight = await this.inTurn(() => verify(against, asHashed(password)));
    return isRight && passwordHash !== null;
  }

  /** Made before it is needed first: the first unknown name must not take twice as long. */
  async warmUp(): Promise<void> {
    await this.hashOfNobody();
  }

  private hashOfNobody(): Promise<string> {
    return (this.nobodys ??= hash(this.random.bytes(32), COST));
  }

  private async inTurn<T>(work: () => Promise<T>): Promise<T> {
    if (this.running >= RUNNING_MAX) {
      if (this.waiting.length >= WAITING_MAX) throw new TooManyAttemptsError(BUSY_RETRY_MS);
      // Whoever ends hands its place over, so the count stays.
      await new Promise<void>((resolve) => this.waiting.push(resolve));
    } else {
      this.running += 1;
    }
    try {
      return await work();
    } finally {
      const next = this.waiting.shift();
      if (next) next();
      else this.running -= 1;
    }
  }
}

/** One form for each text, however the keyboard composed it (NIST SP 800-63B, 3.1.1.2). */
function asHashed(password: string): string {
  return password.normalize('NFKC');
}

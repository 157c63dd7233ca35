import { describe, expect, it } from 'vitest';
import { SystemRandom } from '../runtime/system-random.js';
import { PasswordHasher } from './password-hasher.js';
import { TooManyAttemptsError } from './too-many-attempts-error.js';

const hasher = (): PasswordHasher => new PasswordHasher(new SystemRandom());

describe('passwords', () => {
  it('are stored as salted Argon2id, and known again however they were typed', async () => {
    const one = hasher();
    const [first, second] = [await one.hash('cafe\u0301 au lait'), await one.hash('caf\u00e9 au lait')];
    expect(first).toMatch(/^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
    expect(first).not.toBe(second);
    expect([await one.verify(first, 'caf\u00e9 au lait'), await one.verify(first, 'cafe au lait')]).toEqual([
      true,
      false,
    ]);
  });

  it('of nobody are wrong, after the same work', async () => {
    const one = hasher();
    await one.warmUp();
    const stored = await one.hash('correct horse battery');
    const quickest = { known: Infinity, unknown: Infinity };
    // In turn, so that what else the machine does meets both; the quickest, since it only adds.
    for (let n = 0; n < 10; n += 1) {
      for (const [name, hash] of [
        ['known', stored],
        ['unknown', null],
      ] as const) {
        const begun = performance.now();
        expect(await one.verify(hash, 'wrong')).toBe(false);
        quickest[name] = Math.min(quickest[name], performance.now() - begun);
      }
    }
    const ratio = quickest.unknown / quickest.known;
    expect(ratio).toBeGreaterThan(0.4);
    expect(ratio).toBeLessThan(2.5);
  });

  it('are looked at two at a time; some wait, and more than that are turned away', async () => {
    const one = hasher();
    const results = await Promise.allSettled(Array.from({ length: 40 }, () => one.hash('correct horse battery')));
    const refused = results.filter((result) => result.status === 'rejected');
    expect(refused).toHaveLength(40 - 2 - 32);
    for (const { reason } of refused) expect(reason).toBeInstanceOf(TooManyAttemptsError);
    // Every place is free again.
    const later = await Promise.allSettled(Array.from({ length: 34 }, () => one.hash('correct horse battery')));
    expect(later.every(({ status }) => status === 'fulfilled')).toBe(true);
  });
});

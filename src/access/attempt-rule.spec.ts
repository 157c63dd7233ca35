import { describe, expect, it } from 'vitest';
import { countAttempt, forgottenAt, type Attempts } from './attempt-rule.js';

const RULE = { attemptsMax: 3, windowMs: 1_000, pauseMs: 5_000 };

/** What becomes of attempts at these times. */
function attemptsAt(times: readonly number[]): string[] {
  let stored: Attempts | null = null;
  return times.map((now) => {
    const decision = countAttempt(stored, now, RULE);
    stored = decision.attempts;
    return decision.kind === 'allowed' ? 'allowed' : decision.isNew ? 'locks' : 'locked';
  });
}

describe('attempts', () => {
  it.each([
    ['as many as the rule allows', [0, 1, 2], ['allowed', 'allowed', 'allowed']],
    ['one more', [0, 1, 2, 3], ['allowed', 'allowed', 'allowed', 'locks']],
    ['within the pause', [0, 1, 2, 3, 4, 5_002], ['allowed', 'allowed', 'allowed', 'locks', 'locked', 'locked']],
    [
      'at its end: knocking has not made it longer',
      [0, 1, 2, 3, 4, 5_003],
      ['allowed', 'allowed', 'allowed', 'locks', 'locked', 'allowed'],
    ],
    [
      'after the pause, counted anew',
      [0, 1, 2, 3, 5_003, 5_004, 5_005, 5_006],
      [...Array<string>(3).fill('allowed'), 'locks', ...Array<string>(3).fill('allowed'), 'locks'],
    ],
    [
      'that are far apart',
      [0, 999, 1_000, 1_001, 1_002, 1_003],
      ['allowed', 'allowed', 'allowed', 'allowed', 'allowed', 'locks'],
    ],
  ])('%s', (_what, times, results) => {
    expect(attemptsAt(times)).toEqual(results);
  });

  it('are forgotten when neither the window nor the pause says anything more', () => {
    expect(forgottenAt({ since: 100, count: 1, blockedUntil: 0 }, RULE)).toBe(1_100);
    expect(forgottenAt({ since: 100, count: 4, blockedUntil: 5_103 }, RULE)).toBe(5_103);
  });
});

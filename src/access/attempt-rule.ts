/** How many logins may fail before there is a pause. Times in milliseconds. */
export interface AttemptRule {
  /** Attempts within `windowMs` after the first; the next one begins a pause. */
  readonly attemptsMax: number;
  readonly windowMs: number;
  readonly pauseMs: number;
}

/** What is stored of one account name or one address. */
export interface Attempts {
  /** When the first of them was. */
  readonly since: number;
  readonly count: number;
  /** 0: not. */
  readonly blockedUntil: number;
}

export type AttemptDecision =
  | { readonly kind: 'allowed'; readonly attempts: Attempts }
  /** `isNew`: it is this attempt that began the pause. */
  | { readonly kind: 'blocked'; readonly attempts: Attempts; readonly isNew: boolean };

/**
 * Counts an attempt before anybody knows whether it fails: of many at once, no more than the rule allows are let through.
 * Whoever knocks during a pause does not make it longer, so that nobody is shut out for ever by others.
 */
export function countAttempt(stored: Attempts | null, now: number, rule: AttemptRule): AttemptDecision {
  if (stored !== null && stored.blockedUntil > now) return { kind: 'blocked', attempts: stored, isNew: false };
  const isOver = stored === null || stored.blockedUntil > 0 || stored.since + rule.windowMs <= now;
  if (isOver) return { kind: 'allowed', attempts: { since: now, count: 1, blockedUntil: 0 } };
  const count = stored.count + 1;
  if (count <= rule.attemptsMax) return { kind: 'allowed', attempts: { ...stored, count } };
  return { kind: 'blocked', attempts: { ...stored, count, blockedUntil: now + rule.pauseMs }, isNew: true };
}

/** When a row says nothing more. */
export function forgottenAt({ since, blockedUntil }: Attempts, rule: AttemptRule): number {
  return Math.max(since + rule.windowMs, blockedUntil);
}

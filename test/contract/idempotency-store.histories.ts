import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { IdempotencyStore } from '../../src/idempotency/idempotency-store.js';
import type { IdempotencyStoreHarness } from './idempotency-store.suite.js';

const CALLS = ['claim', 'confirm', 'acquire', 'start', 'renew', 'complete', 'release'] as const;
const CHANGING = new Set(['waited', 'claimed', 'acquired', 'done']);
const START_MEMORY_MS = 15;

interface Action {
  readonly actor: number;
  readonly call: (typeof CALLS)[number] | 'wait';
  /** Time to live of a call, or how long to wait. */
  readonly ms: number;
  /** Whether a claim or an acquire comes with a new token; if not, it repeats the last one. */
  readonly fresh: boolean;
}

interface Entry {
  readonly action: Action;
  readonly token: string;
  readonly answer: string;
  readonly changed: boolean;
}

const action = fc.record<Action>({
  actor: fc.nat({ max: 2 }),
  call: fc.constantFrom(...CALLS, 'wait'),
  ms: fc.constantFrom(5, 10, 20),
  fresh: fc.boolean(),
});
const histories = fc.array(action, { minLength: 5, maxLength: 50 });

/** Three actors, each gateway and worker at once, in any order of calls on one key. */
export function describeGuardHistories(harness: IdempotencyStoreHarness): void {
  describe('random histories', () => {
    it('keep leases exclusive and outcomes final, and swallow only what is durable', () =>
      fc.assert(
        fc.asyncProperty(histories, async (actions) => {
          await play(harness, actions, new Witness());
        }),
        { numRuns: 400 },
      ));

    it('come out the same without the calls that were refused', () =>
      fc.assert(
        fc.asyncProperty(histories, async (actions) => {
          const full = await play(harness, actions);
          const kept = full.filter((entry) => entry.changed);
          const again = await play(
            harness,
            kept.map((entry) => entry.action),
            undefined,
            kept.map((entry) => entry.token),
          );
          expect(again.map((entry) => entry.answer)).toEqual(kept.map((entry) => entry.answer));
        }),
        { numRuns: 400 },
      ));
  });
}

async function play(
  harness: IdempotencyStoreHarness,
  actions: readonly Action[],
  witness?: Witness,
  tokens?: readonly string[],
): Promise<Entry[]> {
  const store = await harness.make();
  const generation = [0, 0, 0];
  const entries: Entry[] = [];
  try {
    for (const [index, action] of actions.entries()) {
      const { actor, call, ms } = action;
      if (action.fresh && (call === 'claim' || call === 'acquire')) generation[actor] = (generation[actor] ?? 0) + 1;
      const token = tokens?.[index] ?? `${actor}.${generation[actor]}`;
      const answer = call === 'wait' ? await harness.advance(ms).then(() => 'waited') : await ask(store, action, token);
      const entry = { action, token, answer, changed: CHANGING.has(nameOf(answer)) };
      entries.push(entry);
      witness?.see(entry);
    }
  } finally {
    await harness.close();
  }
  return entries;
}

async function ask(store: IdempotencyStore, { call, ms }: Action, token: string): Promise<string> {
  if (call === 'acquire') {
    const result = await store.acquire('k', token, ms, START_MEMORY_MS);
    if (result.kind === 'success') return result.kind;
    return result.kind === 'held' ? `held ${result.remainingMs}` : `acquired ${result.startUnfinished}`;
  }
  if (call === 'start' || call === 'release') return store[call]('k', token);
  if (call === 'wait') throw new Error('a wait asks nothing');
  return store[call]('k', token, ms);
}

function nameOf(answer: string): string {
  return answer.split(' ')[0] ?? '';
}

/** Judges answers by the promises alone: it knows no states, only who was told what, and until when it holds. */
class Witness {
  private now = 0;
  private lease: { token: string; until: number; begun: boolean } | null = null;
  private outcome: { token: string; until: number } | null = null;
  /** Somebody was told that the event is durable since the key was last claimed from nothing. */
  private durable = false;

  see({ action, token, answer }: Entry): void {
    const { call, ms } = action;
    if (call === 'wait') this.now += ms;
    else if (this.outcome !== null && this.outcome.until > this.now) this.seeSettled(call, token, answer, ms);
    else if (call === 'claim') this.seeClaim(answer);
    else if (call === 'acquire') this.seeAcquire(token, answer, ms);
    else if (call === 'confirm') this.seeConfirm(answer);
    else this.seeHolder(call, token, answer, ms);
  }

  private seeSettled(call: Action['call'], token: string, answer: string, ms: number): void {
    const repeats = call === 'complete' && token === this.outcome?.token;
    expect(answer, 'an outcome stands until it expires').toBe(
      call === 'claim' || call === 'acquire' ? 'success' : repeats ? 'done' : 'lost',
    );
    if (repeats) this.outcome = { token, until: this.now + ms };
  }

  private seeClaim(answer: string): void {
    expect(answer, 'no outcome is known').not.toBe('success');
    if (this.isRemembered()) expect(answer, 'a lease does not go back').toBe('processing');
    else expect(answer, 'nobody holds it').not.toBe('processing');
    if (answer === 'claimed') this.durable = false;
    else if (answer !== 'received') expect(this.durable, 'swallowed without being durable').toBe(true);
  }

  private seeConfirm(answer: string): void {
    if (this.isRemembered()) expect(answer, 'a late confirm is refused').toBe('lost');
    if (answer === 'done') this.durable = true;
  }

  private seeAcquire(token: string, answer: string, ms: number): void {
    const running = this.lease !== null && this.lease.until > this.now ? this.lease : null;
    if (running !== null && running.token !== token) {
      expect(answer, 'the lease is held').toBe(`held ${running.until - this.now}`);
      return;
    }
    const handedDown = running === null && this.isRemembered() && this.lease?.begun === true;
    if (handedDown) expect(answer, 'an unfinished start is reported').toBe('acquired true');
    else expect(nameOf(answer), 'the lease is free').toBe('acquired');
    const begun = answer === 'acquired true' || (running?.begun ?? false);
    this.lease = { token, until: this.now + ms, begun };
    this.outcome = null;
    this.durable = true;
  }

  private seeHolder(call: Action['call'], token: string, answer: string, ms: number): void {
    const own = this.isRemembered() && this.lease?.token === token;
    const running = own && (this.lease?.until ?? 0) > this.now;
    const allowed = call === 'start' || call === 'renew' ? running : own;
    // On none a release is done, whoever asks; the witness cannot tell none from a gateway's states.
    if (allowed || call !== 'release' || this.isRemembered()) expect(answer, call).toBe(allowed ? 'done' : 'lost');
    if (!allowed || this.lease === null) return;
    if (call === 'start') this.lease.begun = true;
    else if (call === 'renew') this.lease.until = this.now + ms;
    else {
      this.lease = null;
      if (call === 'complete') this.outcome = { token, until: this.now + ms };
    }
  }

  private isRemembered(): boolean {
    return this.lease !== null && this.lease.until + START_MEMORY_MS > this.now;
  }
}

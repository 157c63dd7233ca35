import fc from 'fast-check';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, expect, it } from 'vitest';
import * as model from '../../src/idempotency/guard-transitions.js';
import type { GuardState, GuardStep } from '../../src/idempotency/guard-transitions.js';
import type { IdempotencyStore } from '../../src/idempotency/idempotency-store.js';
import { openGuard } from '../support/redis-guard.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';

const CALLS = ['claim', 'confirm', 'acquire', 'start', 'renew', 'complete', 'release'] as const;
const LONG_MS = 60_000;
const PLAYS_MAX = 3;

interface Action {
  readonly actor: number;
  readonly call: (typeof CALLS)[number] | 'wait';
  readonly ttlMs: number;
  readonly startMemoryMs: number;
  /** Whether a claim or an acquire comes with a new token; if not, it repeats the last one. */
  readonly fresh: boolean;
}

const histories = fc.array(
  fc.record<Action>({
    // Mostly one, whose calls then belong together.
    actor: fc.constantFrom(0, 0, 0, 1, 2),
    // More of what goes before others: a start that never ended takes an acquire, a start, a wait and an acquire.
    call: fc.constantFrom(
      ...CALLS,
      'claim',
      'claim',
      'confirm',
      'confirm',
      'acquire',
      'start',
      'start',
      'wait',
      'wait',
    ),
    // Few long ones: after an outcome or a lease that stays, nothing more happens.
    ttlMs: fc.constantFrom(4, 4, 8, 8, LONG_MS),
    startMemoryMs: fc.constantFrom(4, LONG_MS),
    fresh: fc.boolean(),
  }),
  { minLength: 5, maxLength: 40 },
);

/** One thing that the key may be, as the model has it; null is none. */
type World = GuardState | null;

function decide(world: World, { call, ttlMs, startMemoryMs }: Action, token: string, now: number): GuardStep<unknown> {
  switch (call) {
    case 'acquire':
      return model.acquire(world, token, { ttlMs, startMemoryMs }, now);
    case 'start':
    case 'release':
      return model[call](world, token, now);
    case 'wait':
      throw new Error('a wait decides nothing');
    default:
      return model[call](world, token, ttlMs, now);
  }
}

function ask(store: IdempotencyStore, { call, ttlMs, startMemoryMs }: Action, token: string): Promise<unknown> {
  switch (call) {
    case 'acquire':
      return store.acquire('k', token, ttlMs, startMemoryMs);
    case 'start':
    case 'release':
      return store[call]('k', token);
    case 'wait':
      throw new Error('a wait asks nothing');
    default:
      return store[call]('k', token, ttlMs);
  }
}

/**
 * Redis does not say at which millisecond a script ran, only that it was between two looks at its clock. So the model is
 * run at each of these milliseconds, on everything that the key may have been, and what does not answer as Redis did is
 * dropped, as is what would not end when the key does. If nothing is left, scripts and table disagree.
 */
describeWithRedis('the Lua scripts and guard-transitions.ts', () => {
  let server: RedisServer;
  let redis: Redis;
  const stores: IdempotencyStore[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
    redis = server.client();
    for (let actor = 0; actor < 3; actor += 1) stores.push((await openGuard(server.address)).store);
  });

  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await server.stop();
  });

  async function nowMs(): Promise<number> {
    const [seconds, micros] = await redis.time();
    return Number(seconds) * 1_000 + Math.floor(Number(micros) / 1_000);
  }

  async function play(history: readonly Action[], seen: Map<string, number>): Promise<void> {
    await redis.flushall();
    const generation = [0, 0, 0];
    let worlds: World[] = [null];
    for (const [step, action] of history.entries()) {
      const { actor, call } = action;
      if (action.fresh && (call === 'claim' || call === 'acquire')) generation[actor] = (generation[actor] ?? 0) + 1;
      const token = `${actor}.${generation[actor]}`;
      const from = await nowMs();
      if (call === 'wait') {
        while ((await nowMs()) < from + 9);
        continue;
      }
      const answer = await ask(stores[actor] as IdempotencyStore, action, token);
      const span = { from, to: await nowMs() };
      const expiresAt = await redis.pexpiretime('wecom:event:{k}');
      const seenAt = await nowMs();
      const next = after(worlds, span, answer, (world, now) => decide(world, action, token, now)).flatMap((world) =>
        asSeen(world, expiresAt, seenAt),
      );
      const told = JSON.stringify({ step, action, answer, span, expiresAt, seenAt, worlds });
      expect(next.length, `no state of the model explains this: ${told}`).toBeGreaterThan(0);
      worlds = next;
      const kind = `${call} ${JSON.stringify(answer).replace(/\d+/, 'n')}`;
      seen.set(kind, (seen.get(kind) ?? 0) + 1);
    }
  }

  /** A disagreement shows each time; a machine's clock that was set back by some milliseconds does not. */
  async function playPatiently(history: readonly Action[], seen: Map<string, number>): Promise<void> {
    for (let left = PLAYS_MAX; ; left -= 1) {
      try {
        await play(history, seen);
        return;
      } catch (error) {
        if (left === 1) throw error;
      }
    }
  }

  it('agree on every answer to three actors, whatever they do', async () => {
    const seen = new Map<string, number>();
    await fc.assert(
      fc.asyncProperty(histories, (history) => playPatiently(history, seen)),
      { numRuns: 400 },
    );
    // Histories that never came across one of these would have compared too little.
    const kinds = [
      ...['claimed', 'received', 'queued', 'processing', 'success'].map((answer) => `claim "${answer}"`),
      ...CALLS.filter((call) => call !== 'claim' && call !== 'acquire').flatMap((call) => [
        `${call} "done"`,
        `${call} "lost"`,
      ]),
      'acquire {"kind":"acquired","startUnfinished":false}',
      'acquire {"kind":"acquired","startUnfinished":true}',
      'acquire {"kind":"held","remainingMs":n}',
      'acquire {"kind":"success"}',
    ];
    expect(kinds.filter((kind) => !seen.has(kind))).toEqual([]);
  }, 120_000);
});

/**
 * What Redis says about the key's end, if the model says so too; nothing if it does not. For Redis the key is there during
 * the millisecond of its end, for the model no more. The two clocks of a script, TIME and the one that SET goes by, may be
 * a millisecond apart, which must not add up. A key may be gone by the time that it is looked at.
 */
function asSeen(world: World, expiresAt: number, seenAt: number): World[] {
  if (expiresAt < 0) return world === null || world.until <= seenAt ? [world] : [];
  if (world === null || Math.abs(world.until - expiresAt) > 1) return [];
  return [{ ...world, until: expiresAt + 1 }];
}

function after(
  worlds: readonly World[],
  { from, to }: { readonly from: number; readonly to: number },
  answer: unknown,
  decideAt: (world: World, now: number) => GuardStep<unknown>,
): World[] {
  const possible = new Map<string, World>();
  for (const world of worlds) {
    for (let now = from; now <= to; now += 1) {
      const { next, result } = decideAt(world, now);
      if (JSON.stringify(result) === JSON.stringify(answer)) possible.set(JSON.stringify(next), next);
    }
  }
  return [...possible.values()];
}

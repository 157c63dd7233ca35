import { afterAll, beforeAll, expect, it } from 'vitest';
import * as model from '../../src/idempotency/guard-transitions.js';
import type { GuardState, GuardStep } from '../../src/idempotency/guard-transitions.js';
import type { IdempotencyStore } from '../../src/idempotency/idempotency-store.js';
import { openGuard } from '../support/redis-guard.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';

/** Long enough that nothing ends by itself: what ends is the matter of redis-guard-model. */
const TTL_MS = 600_000;
const LIFE = { ttlMs: TTL_MS, startMemoryMs: TTL_MS };

type Call = 'claim' | 'confirm' | 'acquire' | 'start' | 'complete' | 'release' | 'forget';

/** One actor's calls in their order. */
interface Actor {
  readonly token: string;
  readonly calls: readonly Call[];
}

const gateway = (token: string): Actor => ({ token, calls: ['claim', 'confirm'] });
const worker = (token: string): Actor => ({ token, calls: ['acquire', 'start', 'complete'] });
const worldsOf: readonly (readonly [string, readonly Actor[]])[] = [
  ['a gateway and two workers', [gateway('g'), worker('v'), worker('w')]],
  ['two gateways and a worker', [gateway('g'), gateway('h'), worker('w')]],
  ['a worker that gives up', [gateway('g'), { token: 'v', calls: ['acquire', 'start', 'release'] }, worker('w')]],
  ['a worker that dies in its handler', [gateway('g'), { token: 'v', calls: ['acquire', 'start'] }, worker('w')]],
  ['keys that are lost', [worker('v'), worker('w'), { token: '', calls: ['forget'] }]],
  ['a claim again after keys were lost', [gateway('g'), { token: '', calls: ['forget'] }, worker('w'), gateway('h')]],
];

/** Every order in which the actors' calls can reach the guard, as a list of actors by number. */
function* interleavings(left: readonly number[], order: readonly number[] = []): Generator<readonly number[]> {
  if (left.every((count) => count === 0)) yield order;
  for (const [actor, count] of left.entries()) {
    if (count > 0) yield* interleavings(left.with(actor, count - 1), [...order, actor]);
  }
}

function decide(state: GuardState | null, call: Call, token: string): GuardStep<unknown> {
  switch (call) {
    case 'forget':
      return { next: null, result: null };
    case 'acquire':
      return model.acquire(state, token, LIFE, 0);
    case 'start':
    case 'release':
      return model[call](state, token, 0);
    default:
      return model[call](state, token, TTL_MS, 0);
  }
}

describeWithRedis('the Lua scripts', () => {
  let server: RedisServer;
  const stores: IdempotencyStore[] = [];

  beforeAll(async () => {
    server = await RedisServer.start();
    for (let actor = 0; actor < 4; actor += 1) stores.push((await openGuard(server.address)).store);
  });

  afterAll(async () => {
    await Promise.all(stores.map((store) => store.close()));
    await server.stop();
  });

  function ask(store: IdempotencyStore, key: string, call: Call, token: string): Promise<unknown> {
    switch (call) {
      case 'forget':
        return server
          .client()
          .del(`wecom:event:{${key}}`)
          .then(() => null);
      case 'acquire':
        return store.acquire(key, token, LIFE.ttlMs, LIFE.startMemoryMs);
      case 'start':
      case 'release':
        return store[call](key, token);
      default:
        return store[call](key, token, TTL_MS);
    }
  }

  it.each(worldsOf)('answer %s as the table does in every order of their calls', async (name, actors) => {
    let played = 0;
    for (const order of interleavings(actors.map(({ calls }) => calls.length))) {
      const key = `${name}-${played}`;
      const next = actors.map(() => 0);
      let state: GuardState | null = null;
      /** Who has the lease; a lost key ends what anybody knew. */
      let holder: string | null = null;
      for (const [step, number] of order.entries()) {
        const { token, calls } = actors[number]!;
        const call = calls[next[number]!]!;
        next[number]! += 1;
        const decided = decide(state, call, token);
        const answer = withoutTimes(await ask(stores[number]!, key, call, token));
        const told = `${order.join('')} step ${step}: ${call} by ${token}`;
        expect(answer, told).toEqual(withoutTimes(decided.result));
        state = decided.next;
        if (call === 'forget') holder = null;
        if (isAcquired(answer)) {
          expect([null, token], `${told} while ${holder} holds the lease`).toContain(holder);
          holder = token;
        }
        if ((call === 'complete' || call === 'release') && answer === 'done') holder = null;
      }
      played += 1;
    }
    // 8!/(2!·3!·3!) for the first of them; none has fewer than these.
    expect(played).toBeGreaterThanOrEqual(140);
  });
});

function isAcquired(answer: unknown): boolean {
  return typeof answer === 'object' && answer !== null && 'kind' in answer && answer.kind === 'acquired';
}

/** What is left of a lease is counted on Redis's clock, which the table does not have. */
function withoutTimes(answer: unknown): unknown {
  if (typeof answer !== 'object' || answer === null) return answer;
  const { remainingMs: _remainingMs, ...rest } = answer as { readonly remainingMs?: number };
  return rest;
}

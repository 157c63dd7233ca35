import { beforeEach, describe, expect, it } from 'vitest';
import type { AcquireResult, IdempotencyStore } from '../../src/idempotency/idempotency-store.js';
import { LONG_MS, type IdempotencyStoreHarness } from './idempotency-store.suite.js';

type Situation = 'none' | 'received' | 'queued' | 'processing' | 'started' | 'expired' | 'expired-started' | 'success';
type Call = 'claim' | 'confirm' | 'acquire' | 'start' | 'renew' | 'complete' | 'release';

/** What the call answers, and what the key is afterwards; `same` where nothing may change. */
type Cell = readonly [answer: string, after: string];

const CALLS: readonly Call[] = ['claim', 'confirm', 'acquire', 'start', 'renew', 'complete', 'release'];

const LOST: Cell = ['lost', 'same'];
const TAKEN: Cell = ['acquired', 'processing by caller'];
const DURABLE: Cell = ['success', 'same'];

/** What `look` makes of a situation in which nothing has changed. */
const SEEN: Record<Situation, string> = {
  none: 'none',
  received: 'received by owner',
  queued: 'queued by owner',
  processing: 'processing by owner',
  started: 'processing by owner',
  expired: 'expired by owner',
  'expired-started': 'expired by owner',
  success: 'success by owner',
};

/** The caller's token is the one that led to the situation: a holder, or a repeat of the call that it made. */
const OWN: Record<Exclude<Situation, 'none'>, Record<Call, Cell>> = {
  received: row({ claim: ['claimed', 'same'], confirm: ['done', 'queued by caller'], acquire: TAKEN }),
  queued: row({ claim: ['queued', 'same'], confirm: ['done', 'same'], acquire: TAKEN }),
  processing: row({
    claim: ['processing', 'same'],
    acquire: ['acquired', 'same'],
    start: ['done', 'same'],
    renew: ['done', 'same'],
    complete: ['done', 'success by caller'],
    release: ['done', 'none'],
  }),
  started: row({
    claim: ['processing', 'same'],
    acquire: ['acquired', 'same'],
    start: ['done', 'same'],
    renew: ['done', 'same'],
    complete: ['done', 'success by caller'],
    release: ['done', 'none'],
  }),
  expired: row({
    claim: ['processing', 'same'],
    acquire: TAKEN,
    complete: ['done', 'success by caller'],
    release: ['done', 'none'],
  }),
  'expired-started': row({
    claim: ['processing', 'same'],
    acquire: ['acquired after an unfinished start', 'processing by caller'],
    complete: ['done', 'success by caller'],
    release: ['done', 'none'],
  }),
  success: row({ claim: DURABLE, acquire: DURABLE, complete: ['done', 'same'] }),
};

/** The caller's token is new to the key. */
const STRANGER: Record<Situation, Record<Call, Cell>> = {
  none: row({ claim: ['claimed', 'received by caller'], acquire: TAKEN, release: ['done', 'none'] }),
  received: row({ claim: ['received', 'same'], acquire: TAKEN }),
  queued: row({ claim: ['queued', 'same'], acquire: TAKEN }),
  processing: row({ claim: ['processing', 'same'], acquire: ['held', 'same'] }),
  started: row({ claim: ['processing', 'same'], acquire: ['held', 'same'] }),
  expired: row({ claim: ['processing', 'same'], acquire: TAKEN }),
  'expired-started': row({
    claim: ['processing', 'same'],
    acquire: ['acquired after an unfinished start', 'processing by caller'],
  }),
  success: row({ claim: DURABLE, acquire: DURABLE }),
};

/** Every call in every situation, by the token that led there and by another. What a row leaves out is refused. */
export function describeGuardTable(harness: IdempotencyStoreHarness): void {
  let store: IdempotencyStore;
  beforeEach(async () => {
    store = await harness.make();
  });

  async function check(situation: Situation, call: Call, caller: string, cell: Cell): Promise<void> {
    await arrange(store, harness, situation);
    expect(await run(store, call, caller)).toBe(cell[0]);
    expect(await look(store)).toBe(cell[1] === 'same' ? SEEN[situation] : cell[1].replace('caller', caller));
  }

  describe('guard states', () => {
    for (const [situation, cells] of Object.entries(STRANGER)) {
      it.each(CALLS)(`${situation}: %s with a new token`, (call) =>
        check(situation as Situation, call, 'stranger', cells[call]),
      );
    }
    for (const [situation, cells] of Object.entries(OWN)) {
      it.each(CALLS)(`${situation}: %s with the token that led there`, (call) =>
        check(situation as Situation, call, 'owner', cells[call]),
      );
      it.each(CALLS)(`${situation}: %s with that token, twice, ends where once does`, async (call) => {
        await arrange(store, harness, situation as Situation);
        await run(store, call, 'owner');
        expect(await run(store, call, 'owner')).toBe(cells[call][0]);
        const after = cells[call][1].replace('caller', 'owner');
        if (after !== 'same') expect(await look(store)).toBe(after);
      });
    }
  });
}

function row(cells: Partial<Record<Call, Cell>>): Record<Call, Cell> {
  const refused = {
    claim: LOST,
    confirm: LOST,
    acquire: LOST,
    start: LOST,
    renew: LOST,
    complete: LOST,
    release: LOST,
  };
  return { ...refused, ...cells };
}

async function arrange(store: IdempotencyStore, harness: IdempotencyStoreHarness, situation: Situation): Promise<void> {
  if (situation === 'none') return;
  if (situation === 'received' || situation === 'queued') {
    await store.claim('k', 'owner', LONG_MS);
    if (situation === 'queued') await store.confirm('k', 'owner', LONG_MS);
    return;
  }
  const expires = situation.startsWith('expired');
  await store.acquire('k', 'owner', LONG_MS, LONG_MS);
  if (situation.endsWith('started')) await store.start('k', 'owner');
  if (situation === 'success') await store.complete('k', 'owner', LONG_MS);
  if (!expires) return;
  await store.renew('k', 'owner', harness.features.shortMs);
  await harness.advance(harness.features.shortMs);
}

async function run(store: IdempotencyStore, call: Call, token: string): Promise<string> {
  switch (call) {
    case 'acquire':
      return nameOf(await store.acquire('k', token, LONG_MS, LONG_MS));
    case 'start':
    case 'release':
      return store[call]('k', token);
    default:
      return store[call]('k', token, LONG_MS);
  }
}

function nameOf(result: AcquireResult): string {
  return result.kind === 'acquired' && result.startUnfinished ? 'acquired after an unfinished start' : result.kind;
}

/** State and owner of the key, by the port alone; it may change the key, so it comes last. */
async function look(store: IdempotencyStore): Promise<string> {
  const seen = await store.claim('k', 'probe', LONG_MS);
  if (seen === 'claimed') return 'none';
  const owners: string[] = [];
  for (const token of ['owner', 'stranger']) {
    if (seen === 'received' && (await store.claim('k', token, LONG_MS)) === 'claimed') owners.push(token);
    if (seen === 'queued' && (await store.confirm('k', token, LONG_MS)) === 'done') owners.push(token);
    if (seen === 'processing' && (await store.renew('k', token, LONG_MS)) === 'done') owners.push(token);
    if (seen === 'success' && (await store.complete('k', token, LONG_MS)) === 'done') owners.push(token);
  }
  if (seen !== 'processing' || owners.length > 0) return `${seen} by ${owners.join(' and ')}`;
  const completed = await store.complete('k', 'owner', LONG_MS);
  return `expired by ${completed === 'done' ? 'owner' : 'another'}`;
}

import { describe, expect, it } from 'vitest';
import * as transitions from './guard-transitions.js';
import type { GuardState } from './guard-transitions.js';

// What each call does in each state stands in the contract suite, for every adapter; here is what only the table shows.
const SUCCESS: GuardState = { name: 'SUCCESS', token: 'a', until: 100 };
const LEASE: GuardState = {
  name: 'PROCESSING',
  token: 'a',
  until: 150,
  leaseUntil: 100,
  startMemoryMs: 50,
  started: false,
  earlierStart: false,
};

describe('guard transitions', () => {
  it('hand back the very state when they refuse, so that an adapter need not write it', () => {
    expect(transitions.claim(SUCCESS, 'b', 10, 0).next).toBe(SUCCESS);
    expect(transitions.confirm(LEASE, 'a', 10, 0).next).toBe(LEASE);
    expect(transitions.acquire(LEASE, 'b', { ttlMs: 10, startMemoryMs: 10 }, 0).next).toBe(LEASE);
    expect(transitions.start(LEASE, 'b', 0).next).toBe(LEASE);
    expect(transitions.renew(LEASE, 'b', 10, 0).next).toBe(LEASE);
    expect(transitions.complete(LEASE, 'b', 10, 0).next).toBe(LEASE);
    expect(transitions.release(LEASE, 'b', 0).next).toBe(LEASE);
  });

  it('end a key at the instant of its end, and not before', () => {
    expect(transitions.claim(SUCCESS, 'b', 10, 99).result).toBe('success');
    expect(transitions.claim(SUCCESS, 'b', 10, 100).result).toBe('claimed');
  });

  it('end a lease at the instant of its end, for its holder and for the next one alike', () => {
    const life = { ttlMs: 10, startMemoryMs: 10 };
    expect(transitions.renew(LEASE, 'a', 10, 99).result).toBe('done');
    expect(transitions.acquire(LEASE, 'b', life, 99).result).toEqual({ kind: 'held', remainingMs: 1 });
    expect(transitions.renew(LEASE, 'a', 10, 100).result).toBe('lost');
    expect(transitions.acquire(LEASE, 'b', life, 100).result).toMatchObject({ kind: 'acquired' });
  });

  it('drop the state of a key that has ended, whatever is asked', () => {
    expect(transitions.confirm(SUCCESS, 'a', 10, 100)).toEqual({ next: null, result: 'lost' });
    expect(transitions.complete(LEASE, 'a', 10, 150)).toEqual({ next: null, result: 'lost' });
  });
});

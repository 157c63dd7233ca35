import type { Clock } from '../../runtime/clock.js';
import * as transitions from '../guard-transitions.js';
import type { GuardState, GuardStateName, GuardStep } from '../guard-transitions.js';
import type { AcquireResult, ClaimResult, HolderResult } from '../idempotency-store.js';
import { GuardUnavailableError, IdempotencyStore } from '../idempotency-store.js';
import { AgeList, type Aged } from './age-list.js';
import { ShardedMap } from './sharded-map.js';

interface Entry extends Aged<Entry> {
  readonly key: string;
  state: GuardState;
}

// What is cheapest to lose goes first: a lost SUCCESS, QUEUED or RECEIVED costs a duplicate that wall 3 turns away, a lost
// lease lets two workers run side by side.
const EVICTION_ORDER: readonly GuardStateName[] = ['SUCCESS', 'QUEUED', 'RECEIVED', 'PROCESSING'];

// A write adds at most one key, so dropping two expired ones of each state catches up with any backlog.
const SWEEP_PER_STATE_MAX = 2;

/**
 * The guard of a single process: gateway and worker must share it, and a restart empties it, which wall 3 makes up for.
 *
 * Keys expire when they are looked at, and a few of the oldest at each write; there is no timer. Time is monotonic: a
 * step of the wall clock must neither end a lease nor keep a key for days.
 */
export class MemoryIdempotencyStore extends IdempotencyStore {
  private readonly entries = new ShardedMap<Entry>();
  // One list a state, each in order of writing: lives within a state are equal, so that is the order of expiry as well.
  private readonly byAge: Record<GuardStateName, AgeList<Entry>> = {
    RECEIVED: new AgeList(),
    QUEUED: new AgeList(),
    PROCESSING: new AgeList(),
    SUCCESS: new AgeList(),
  };
  private closed = false;

  constructor(
    private readonly clock: Clock,
    private readonly options: { readonly keysMax: number },
  ) {
    super();
  }

  /** Keys kept, the expired ones included that no write has swept yet. */
  get keyCount(): number {
    return this.entries.size;
  }

  override async claim(key: string, token: string, ttlMs: number): Promise<ClaimResult> {
    return this.step(key, (state, now) => transitions.claim(state, token, ttlMs, now));
  }

  override async confirm(key: string, token: string, ttlMs: number): Promise<HolderResult> {
    return this.step(key, (state, now) => transitions.confirm(state, token, ttlMs, now));
  }

  override async acquire(key: string, token: string, ttlMs: number, startMemoryMs: number): Promise<AcquireResult> {
    return this.step(key, (state, now) => transitions.acquire(state, token, { ttlMs, startMemoryMs }, now));
  }

  override async start(key: string, token: string): Promise<HolderResult> {
    return this.step(key, (state, now) => transitions.start(state, token, now));
  }

  override async renew(key: string, token: string, ttlMs: number): Promise<HolderResult> {
    return this.step(key, (state, now) => transitions.renew(state, token, ttlMs, now));
  }

  override async complete(key: string, token: string, ttlMs: number): Promise<HolderResult> {
    return this.step(key, (state, now) => transitions.complete(state, token, ttlMs, now));
  }

  override async release(key: string, token: string): Promise<HolderResult> {
    return this.step(key, (state, now) => transitions.release(state, token, now));
  }

  /** Memory does not fail. */
  override trouble(): null {
    return null;
  }

  /** Forgets every key. A call that comes later, such as a confirm off the answer's path, finds the guard unavailable. */
  override async close(): Promise<void> {
    this.closed = true;
    this.entries.clear();
    for (const list of Object.values(this.byAge)) list.clear();
  }

  private step<Result>(key: string, decide: (state: GuardState | null, now: number) => GuardStep<Result>): Result {
    if (this.closed) throw new GuardUnavailableError();
    // Whole milliseconds, as in Redis; V8 also stores them without a box of their own (for the first 24 days).
    const now = Math.floor(this.clock.monotonic());
    const entry = this.entries.get(key);
    const { next, result } = decide(entry?.state ?? null, now);
    if (next !== (entry?.state ?? null)) this.write(key, entry, next, now);
    return result;
  }

  private write(key: string, entry: Entry | undefined, next: GuardState | null, now: number): void {
    if (next === null) {
      if (entry !== undefined) this.drop(entry);
    } else if (entry === undefined) {
      const added: Entry = { key, state: next, older: null, newer: null };
      this.entries.add(key, added);
      this.byAge[next.name].append(added);
    } else {
      this.byAge[entry.state.name].remove(entry);
      entry.state = next;
      this.byAge[next.name].append(entry);
    }
    this.sweep(now);
    this.makeRoom();
  }

  private sweep(now: number): void {
    for (const name of EVICTION_ORDER) {
      for (let dropped = 0; dropped < SWEEP_PER_STATE_MAX; dropped += 1) {
        const { oldest } = this.byAge[name];
        if (oldest === null || oldest.state.until > now) break;
        this.drop(oldest);
      }
    }
  }

  /** May drop the key just written, if all the others are leases. */
  private makeRoom(): void {
    while (this.entries.size > this.options.keysMax) {
      const name = EVICTION_ORDER.find((candidate) => this.byAge[candidate].oldest !== null);
      const oldest = name === undefined ? null : this.byAge[name].oldest;
      if (oldest === null) return;
      this.drop(oldest);
    }
  }

  private drop(entry: Entry): void {
    this.entries.delete(entry.key);
    this.byAge[entry.state.name].remove(entry);
  }
}

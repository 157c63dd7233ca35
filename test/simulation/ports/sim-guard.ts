import {
  GuardUnavailableError,
  IdempotencyStore,
  type AcquireResult,
  type ClaimResult,
  type HolderResult,
} from '../../../src/idempotency/idempotency-store.js';
import * as transitions from '../../../src/idempotency/guard-transitions.js';
import type { GuardState, GuardStep } from '../../../src/idempotency/guard-transitions.js';
import type { Life } from '../world/life.js';
import type { World } from '../world/world.js';

/** One server of guard keys and a replica that lags behind it. Time is the server's own. */
export class GuardServer {
  readonly keys = new Map<string, GuardState>();
  onStep: (step: GuardMove) => void = () => undefined;
  onLoss: () => void = () => undefined;
  private replica = new Map<string, GuardState>();
  private clockOffset = 0;

  constructor(private readonly world: World) {}

  get now(): number {
    return Math.floor(this.world.now + this.clockOffset);
  }

  step<Result>(
    move: Omit<GuardMove, 'result' | 'holder'>,
    decide: (state: GuardState | null, now: number) => GuardStep<Result>,
  ): Result {
    const { next, result } = decide(this.keys.get(move.key) ?? null, this.now);
    if (next === null) this.keys.delete(move.key);
    else this.keys.set(move.key, next);
    this.onStep({ ...move, result, holder: next?.name === 'PROCESSING' ? next.token : null });
    return result;
  }

  flush(): void {
    if (this.keys.size > 0) this.world.hit('guard-flush');
    this.keys.clear();
    this.onLoss();
  }

  /** The replica has what the server had by now. */
  replicate(): void {
    this.replica = new Map(this.keys);
  }

  /** The replica takes over: what it had not got is gone, and its clock is another one. */
  failOver(offsetMs: number): void {
    const lost = [...this.keys].filter(([key, state]) => this.replica.get(key) !== state);
    if (lost.length > 0) this.world.hit('guard-failover');
    this.keys.clear();
    for (const [key, state] of this.replica) this.keys.set(key, state);
    this.clockOffset += offsetMs;
    this.onLoss();
  }
}

export interface GuardMove {
  readonly step: 'claim' | 'confirm' | 'acquire' | 'start' | 'renew' | 'complete' | 'release';
  readonly key: string;
  readonly token: string;
  readonly ttlMs: number;
  readonly result: unknown;
  /** Whose lease stands afterwards. */
  readonly holder: string | null;
}

/** The guard as one process calls it. The moves themselves are the product's, which its Lua scripts are tested against. */
export class SimIdempotencyStore extends IdempotencyStore {
  private failedAt: number | null = null;

  constructor(
    private readonly world: World,
    private readonly life: Life,
    private readonly server: GuardServer,
    private readonly limitMs: number,
  ) {
    super();
  }

  override claim(key: string, token: string, ttlMs: number): Promise<ClaimResult> {
    return this.run({ step: 'claim', key, token, ttlMs }, (state, now) => transitions.claim(state, token, ttlMs, now));
  }

  override confirm(key: string, token: string, ttlMs: number): Promise<HolderResult> {
    return this.run({ step: 'confirm', key, token, ttlMs }, (state, now) =>
      transitions.confirm(state, token, ttlMs, now),
    );
  }

  override acquire(key: string, token: string, ttlMs: number, startMemoryMs: number): Promise<AcquireResult> {
    return this.run({ step: 'acquire', key, token, ttlMs }, (state, now) =>
      transitions.acquire(state, token, { ttlMs, startMemoryMs }, now),
    );
  }

  override start(key: string, token: string): Promise<HolderResult> {
    return this.run({ step: 'start', key, token, ttlMs: 0 }, (state, now) => transitions.start(state, token, now));
  }

  override renew(key: string, token: string, ttlMs: number): Promise<HolderResult> {
    return this.run({ step: 'renew', key, token, ttlMs }, (state, now) => transitions.renew(state, token, ttlMs, now));
  }

  override complete(key: string, token: string, ttlMs: number): Promise<HolderResult> {
    return this.run({ step: 'complete', key, token, ttlMs }, (state, now) =>
      transitions.complete(state, token, ttlMs, now),
    );
  }

  override release(key: string, token: string): Promise<HolderResult> {
    return this.run({ step: 'release', key, token, ttlMs: 0 }, (state, now) => transitions.release(state, token, now));
  }

  override trouble(): { since: number; reason: string } | null {
    return this.failedAt === null ? null : { since: this.failedAt, reason: 'no answer' };
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }

  private async run<Result>(
    move: Omit<GuardMove, 'result' | 'holder'>,
    decide: (state: GuardState | null, now: number) => GuardStep<Result>,
  ): Promise<Result> {
    const failure = (reason: string): Error => {
      this.failedAt ??= this.world.now;
      return new GuardUnavailableError({ cause: new Error(reason) });
    };
    const call = { service: 'guard' as const, label: `guard.${move.step}`, limitMs: this.limitMs, failure };
    const result = await this.world.call<Result>(this.life, call, (reply) =>
      reply({ ok: this.server.step(move, decide) }),
    );
    this.failedAt = null;
    return result;
  }
}

import type { GuardServers } from '../../config/guard-servers.js';
import { openScriptRunner } from '../../redis/open-script-runner.js';
import { ScriptUnansweredError, type Script, type ScriptRunner } from '../../redis/script-runner.js';
import type { LinkLog } from '../../redis/server-link.js';
import type { Clock } from '../../runtime/clock.js';
import type { Disk } from '../../runtime/disk.js';
import type { AcquireResult, ClaimResult, HolderResult } from '../idempotency-store.js';
import { GuardUnavailableError, IdempotencyStore } from '../idempotency-store.js';
import { loadGuardScripts, type GuardScripts } from './guard-scripts.js';

export interface RedisIdempotencyStoreOptions {
  readonly servers: GuardServers;
  /** Longest wait for an answer. */
  readonly timeoutMs: number;
  /** Longest wait for the first connection; the store opens without it then, and goes on trying. */
  readonly openLimitMs: number;
}

// Numbers that the scripts answer with, as their headers say.
const CLAIM_ANSWERS: readonly ClaimResult[] = ['claimed', 'received', 'queued', 'processing', 'success'];
const DONE = 1;
const ACQUIRED = 0;
const ACQUIRED_AFTER_START = -1;
const ALREADY_SUCCESS = -2;

// What a connection is tried with: a claim like any other, so that a replica, a full memory or a right that is missing
// shows before an event meets it.
const PROBE_TOKEN = 'probe';
const PROBE_TTL_MS = 1_000;

/**
 * The guard on Redis, for any number of gateways and workers. Each move is one Lua script on one key, in Redis's own
 * time. The scripts follow `guard-transitions.ts`; a test compares the two.
 */
export class RedisIdempotencyStore extends IdempotencyStore {
  private constructor(
    private readonly redis: ScriptRunner,
    private readonly scripts: GuardScripts,
  ) {
    super();
  }

  /** Resolves when Redis has answered, or without it after `openLimitMs`: an absent guard keeps nobody from starting. */
  static async open(
    clock: Clock,
    disk: Disk,
    log: LinkLog,
    options: RedisIdempotencyStoreOptions,
  ): Promise<RedisIdempotencyStore> {
    const scripts = await loadGuardScripts(disk);
    const redis = await openScriptRunner(clock, log, {
      ...options,
      name: 'wecom-callback-gateway',
      probe: (tag) => ({ script: scripts.claim, key: redisKey(tag), args: [PROBE_TOKEN, PROBE_TTL_MS] }),
    });
    return new RedisIdempotencyStore(redis, scripts);
  }

  override async claim(key: string, token: string, ttlMs: number): Promise<ClaimResult> {
    const answer = await this.run(this.scripts.claim, key, token, ttlMs);
    return CLAIM_ANSWERS[answer] ?? unknownAnswer(answer);
  }

  override async confirm(key: string, token: string, ttlMs: number): Promise<HolderResult> {
    return holderResult(await this.run(this.scripts.confirm, key, token, ttlMs));
  }

  override async acquire(key: string, token: string, ttlMs: number, startMemoryMs: number): Promise<AcquireResult> {
    const answer = await this.run(this.scripts.acquire, key, token, ttlMs, startMemoryMs);
    if (answer === ALREADY_SUCCESS) return { kind: 'success' };
    if (answer > ACQUIRED) return { kind: 'held', remainingMs: answer };
    return { kind: 'acquired', startUnfinished: answer === ACQUIRED_AFTER_START };
  }

  override async start(key: string, token: string): Promise<HolderResult> {
    return holderResult(await this.run(this.scripts.start, key, token));
  }

  override async renew(key: string, token: string, ttlMs: number): Promise<HolderResult> {
    return holderResult(await this.run(this.scripts.renew, key, token, ttlMs));
  }

  override async complete(key: string, token: string, ttlMs: number): Promise<HolderResult> {
    return holderResult(await this.run(this.scripts.complete, key, token, ttlMs));
  }

  override async release(key: string, token: string): Promise<HolderResult> {
    return holderResult(await this.run(this.scripts.release, key, token));
  }

  override trouble(): { since: number; reason: string } | null {
    return this.redis.trouble();
  }

  /** Ends at once, also while Redis hangs. Calls under way are rejected. */
  override close(): Promise<void> {
    return this.redis.close();
  }

  private async run(script: Script, key: string, token: string, ...times: number[]): Promise<number> {
    try {
      return await this.redis.run({ script, key: redisKey(key), args: [token, ...times] });
    } catch (error) {
      throw new GuardUnavailableError({ cause: error instanceof ScriptUnansweredError ? error.cause : error });
    }
  }
}

/** The braces keep all that belongs to one event on one slot of a cluster. */
function redisKey(key: string): string {
  return `wecom:event:{${key}}`;
}

function holderResult(answer: number): HolderResult {
  return answer === DONE ? 'done' : 'lost';
}

function unknownAnswer(answer: number): never {
  throw new GuardUnavailableError({ cause: `claim.lua answered ${answer}` });
}

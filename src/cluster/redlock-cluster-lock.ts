import { createHash } from 'node:crypto';
import Redlock, { ExecutionError, ResourceLockedError } from 'redlock';
import type { GuardServers } from '../config/guard-servers.js';
import { openScriptRunner } from '../redis/open-script-runner.js';
import type { ScriptRunner } from '../redis/script-runner.js';
import type { Clock } from '../runtime/clock.js';
import { within } from '../runtime/within.js';
import { ClusterLock, type LockedRun } from './cluster-lock.js';
import { RedlockClient } from './redlock-client.js';

export interface LockLog {
  warn(event: string, fields: Readonly<Record<string, unknown>>): void;
}

export interface RedlockClusterLockOptions {
  readonly servers: GuardServers;
  /** Life of a lock whose holder has died; a living one renews it every third of it. */
  readonly ttlMs: number;
  /** Longest wait for one answer of Redis. */
  readonly timeoutMs: number;
  /** Longest wait for the first connection; the lock opens without it then. */
  readonly openLimitMs: number;
}

/** While Redis is away its time limit is paid once in this time, not for each job. */
const ASK_AGAIN_AFTER_MS = 5_000;
/** How long a job that has ended waits until its lock is given back. */
const RELEASE_LIMIT_MS = 1_000;
/** Nobody waits for a lock: the next pass asks again. */
const ACQUIRE_ONCE = { retryCount: 0 };
/**
 * For renewals and releases. With no retry at all, a lock that was lost has the library renew it in a loop without a
 * pause, until its life has passed.
 */
const RENEWAL = { retryCount: 1, retryDelay: 200, retryJitter: 50 };

const SILENT = { info: (): void => undefined, warn: (): void => undefined };
/** Shows that the server takes writes of this account. No job has the name of the key. */
const PROBE_TEXT = "redis.call('SET', KEYS[1], '1', 'PX', ARGV[1]) return 1";
const PROBE = { text: PROBE_TEXT, sha: createHash('sha1').update(PROBE_TEXT).digest('hex') };
const PROBE_TTL_MS = 1_000;

/** Redlock's algorithm on one Redis. The library's own timers decide here: a lock's life is Redis's time in any case. */
export class RedlockClusterLock extends ClusterLock {
  private readonly redlock: Redlock;
  private askAgainAt = 0;
  private isAwayLogged = false;

  private constructor(
    private readonly redis: ScriptRunner,
    private readonly clock: Clock,
    private readonly log: LockLog,
    private readonly options: RedlockClusterLockOptions,
  ) {
    super();
    // A renewal may fail several times before the life of the lock ends.
    const automaticExtensionThreshold = Math.floor((options.ttlMs * 2) / 3);
    this.redlock = new Redlock([new RedlockClient(redis)], { ...RENEWAL, automaticExtensionThreshold });
  }

  static async open(clock: Clock, log: LockLog, options: RedlockClusterLockOptions): Promise<RedlockClusterLock> {
    // The guard's connections tell of the same servers, so these are silent; `lock.away` says what follows from it.
    const redis = await openScriptRunner(clock, SILENT, {
      ...options,
      name: 'wecom-callback-gateway-lock',
      probe: (tag) => ({ script: PROBE, key: lockKey(tag), args: [PROBE_TTL_MS] }),
    });
    return new RedlockClusterLock(redis, clock, log, options);
  }

  override async run<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<LockedRun<T>> {
    if (this.clock.monotonic() < this.askAgainAt) return unguarded(work);
    const begun: { work?: Promise<T> } = {};
    const released = this.locked(name, (signal) => (begun.work = work(signal)));
    // Either the lock was not to be had, or the work has ended and the lock is being given back.
    const refusal = await released.begun;
    if (begun.work === undefined) {
      if (await isHeld(refusal)) return { kind: 'held' };
      this.away(refusal);
      return unguarded(work);
    }
    this.isAwayLogged = false;
    await within(this.clock, RELEASE_LIMIT_MS, 'giving a lock back', released.ended).catch(() => undefined);
    return { kind: 'ran', isGuarded: true, value: await begun.work };
  }

  override async close(): Promise<void> {
    await this.redis.close();
  }

  /** `begun` resolves when the work has ended or was not begun, with the reason then; `ended` when all is over. */
  private locked(name: string, work: (signal: AbortSignal) => Promise<unknown>) {
    let workEnded: () => void;
    const whenWorkEnded = new Promise<void>((resolve) => (workEnded = resolve));
    const using = this.redlock.using([lockKey(name)], this.options.ttlMs, ACQUIRE_ONCE, async (signal) => {
      signal.addEventListener('abort', () => this.log.warn('lock.lost', { lock: name }), { once: true });
      // The library rejects when the lock cannot be given back, whatever became of the work: so that is kept apart.
      await work(signal).catch(() => undefined);
      workEnded();
    });
    const ended = using.catch((error: unknown) => error);
    return { ended, begun: Promise.race([whenWorkEnded, ended]) };
  }

  private away(reason: unknown): void {
    this.askAgainAt = this.clock.monotonic() + ASK_AGAIN_AFTER_MS;
    if (!this.isAwayLogged) this.log.warn('lock.away', { reason: reason instanceof Error ? reason.name : 'unknown' });
    this.isAwayLogged = true;
  }
}

async function unguarded<T>(work: (signal: AbortSignal) => Promise<T>): Promise<LockedRun<T>> {
  return { kind: 'ran', isGuarded: false, value: await work(new AbortController().signal) };
}

/** The library gives one error for "another has it" and "no answer"; the votes tell them apart. */
async function isHeld(error: unknown): Promise<boolean> {
  if (!(error instanceof ExecutionError)) return false;
  const votes = await Promise.all(error.attempts);
  return votes.some(({ votesAgainst }) =>
    [...votesAgainst.values()].some((vote) => vote instanceof ResourceLockedError),
  );
}

/** The braces keep a lock on one slot of a cluster. */
function lockKey(name: string): string {
  return `wecom:lock:{${name}}`;
}

import type { Redis } from 'ioredis';
import type { Clock, Timer } from '../runtime/clock.js';
import { TimeLimitError } from '../runtime/within.js';
import { CircuitBreaker, type Outage } from './circuit-breaker.js';
import { keptConnection, type ConnectionTarget } from './redis-connection.js';
import { reasonOf, sendsElsewhere } from './redis-reasons.js';
import { ScriptRunner, ScriptUnansweredError, type ScriptCall } from './script-runner.js';

export interface LinkLog {
  info(event: string, fields: Readonly<Record<string, unknown>>): void;
  warn(event: string, fields: Readonly<Record<string, unknown>>): void;
}

export interface ServerLinkOptions {
  readonly target: ConnectionTarget;
  /** What the server knows the connection by. */
  readonly name: string;
  readonly timeoutMs: number;
  /** Shows that the server takes what it will be asked. */
  readonly probe: () => ScriptCall;
  /** True when this error means that all is well and another server has the key. It is then rejected with as it is. */
  readonly isRedirection?: (error: unknown) => boolean;
  /** Which of several servers it is, for the log. */
  readonly fields?: () => Readonly<Record<string, unknown>>;
}

export interface Hop {
  /** What is left of the caller's time. */
  readonly limitMs: number;
  /** The server takes the key over just now, and answers only whoever says that it was sent. */
  readonly isAsking: boolean;
}

/** Enough to tell an outage from a reply that came late once. */
const FAILURES_MAX = 3;
/** From the start of a connection to the probe's answer. A server that is stopped accepts connections and says nothing. */
const CONNECT_LIMIT_MS = 2_000;
/** A replica answers a ping, and a server that hangs keeps its connection: without callbacks only a look tells. */
const LOOK_EVERY_MS = 500;
/** Calls without an answer. Far above what lanes and requests have under way while Redis answers. */
const CALLS_MAX = 10_000;
const NOEVICTION = 'noeviction';

/**
 * One connection to Redis behind a circuit breaker. The breaker opens with the connection's end, or ends it after some
 * failures in a row; while it is open, calls are rejected at once and a new connection is tried again and again. The
 * first answer on it, to a probe, closes the breaker: no call of ours has to find out whether Redis is back.
 */
export class ServerLink extends ScriptRunner {
  private readonly breaker: CircuitBreaker;
  private readonly redis: Redis;
  private connectTimer: Timer | null = null;
  private lookTimer: Timer | null = null;
  private whenFirstUp: (() => void) | null = null;
  private callCount = 0;
  private lastError: unknown = null;
  private isClosed = false;
  private isOutageLogged = false;
  private policySeen = NOEVICTION;

  constructor(
    private readonly clock: Clock,
    private readonly log: LinkLog,
    private readonly options: ServerLinkOptions,
  ) {
    super();
    this.breaker = new CircuitBreaker(clock, FAILURES_MAX);
    this.breaker.open('not connected yet');
    this.redis = keptConnection(options.target, options.name);
    this.redis.on('connecting', () => this.connecting());
    this.redis.on('ready', () => void this.probe());
    this.redis.on('error', (error) => this.erred(error));
    this.redis.on('close', () => this.lost());
  }

  /** Begins to connect. Resolves with the first answer, or after `limitMs`. */
  async open(limitMs: number): Promise<void> {
    this.lookTimer = this.clock.every(LOOK_EVERY_MS, () => this.look());
    await new Promise<void>((resolve) => {
      const timer = this.clock.after(limitMs, resolve);
      this.whenFirstUp = () => {
        timer.cancel();
        resolve();
      };
      // Failures come as events, the first one like all later ones.
      this.redis.connect().catch(() => undefined);
    });
  }

  override trouble(): Outage | null {
    return this.breaker.outage;
  }

  override run(call: ScriptCall): Promise<number> {
    return this.hop(call, { limitMs: this.options.timeoutMs, isAsking: false });
  }

  /** As `run`, for a caller that may be sent from server to server; a redirection is rejected with as it is. */
  async hop(call: ScriptCall, hop: Hop): Promise<number> {
    const { outage } = this.breaker;
    if (outage !== null) throw new ScriptUnansweredError({ cause: outage.reason });
    if (this.callCount >= CALLS_MAX) throw new ScriptUnansweredError({ cause: `${CALLS_MAX} calls under way` });
    this.callCount += 1;
    try {
      const answer = await this.ask(call, hop);
      this.breaker.worked();
      return answer;
    } catch (error) {
      if (this.options.isRedirection?.(error)) throw error;
      this.failed(error);
      throw new ScriptUnansweredError({ cause: error });
    } finally {
      this.callCount -= 1;
    }
  }

  /** Without waiting for the other end, which may hang. */
  override async close(): Promise<void> {
    this.isClosed = true;
    this.breaker.open('closed');
    this.connectTimer?.cancel();
    this.lookTimer?.cancel();
    this.whenFirstUp?.();
    this.redis.disconnect();
  }

  private ask({ script, key, args }: ScriptCall, { limitMs, isAsking }: Hop): Promise<number> {
    // The permission holds for the next command on the connection, which is written in the same breath.
    const askFirst = (): void => void (isAsking && this.redis.asking().catch(() => undefined));
    return new Promise((resolve, reject) => {
      let isOver = false;
      const tooLate = (): void => {
        isOver = true;
        reject(new TimeLimitError('Redis', this.options.timeoutMs));
      };
      // When this process itself was busy for longer than the limit, the timer comes before the reply is read, though it
      // is there. One turn of the event loop tells a slow Redis from a slow reader.
      const timer = this.clock.after(limitMs, () => void this.clock.nextTurn().then(tooLate));
      this.gather();
      askFirst();
      this.redis
        .evalsha(script.sha, 1, key, ...args)
        .catch((error: unknown) => {
          // The cache of scripts is empty after a restart, a failover or SCRIPT FLUSH; EVAL fills it. Not for a caller that
          // has been told that there is no answer.
          if (isOver || !isNoScript(error)) throw error;
          askFirst();
          return this.redis.eval(script.text, 1, key, ...args);
        })
        .then((answer) => resolve(Number(answer)), reject)
        .finally(() => timer.cancel());
    });
  }

  /**
   * Calls that are made together go out in one write: a batch makes one an event, and a system call for each cost more
   * than all the rest of it (measured). Waiting for a whole turn of the event loop gathers no more than it costs.
   */
  private gather(): void {
    // None while a server that has just joined is being connected to.
    const stream: Redis['stream'] | undefined = this.redis.stream;
    if (stream === undefined || stream.writableCorked > 0) return;
    stream.cork();
    queueMicrotask(() => stream.uncork());
  }

  private failed(error: unknown): void {
    const reason = reasonOf(error);
    // A replica answers at once, but never with what we need; a new connection may lead to the new master.
    const opened = sendsElsewhere(error) ? this.breaker.open(reason) : this.breaker.failed(reason);
    if (!opened) return;
    this.announce(reason);
    this.lastError = error;
    // A connection whose other end is gone would take a quarter of an hour to notice.
    this.hangUp();
  }

  private connecting(): void {
    this.connectTimer?.cancel();
    if (this.isClosed) return;
    // Again and again: the first time the client may still be asking Sentinels for the address.
    this.connectTimer = this.clock.every(CONNECT_LIMIT_MS, () => {
      this.lastError ??= new TimeLimitError('a connection to Redis', CONNECT_LIMIT_MS);
      this.hangUp();
    });
  }

  private erred(error: Error): void {
    const isSearching = this.redis.status === 'connecting' && this.options.target.kind === 'sentinel';
    // An error of the system belongs to a connection, whose end is heard of as well. Sentinels are asked again and again
    // without one.
    if (!isSearching || 'code' in error) {
      this.lastError = error;
      return;
    }
    this.lastError = new NoMasterError(error);
    this.breaker.open(reasonOf(this.lastError));
    this.announce(reasonOf(this.lastError));
  }

  /** Asks what a callback would ask, so that health tells of a Redis that takes no writes before an event meets it. */
  private look(): void {
    if (this.breaker.outage === null) this.run(this.options.probe()).catch(() => undefined);
  }

  private async probe(): Promise<void> {
    try {
      await this.ask(this.options.probe(), { limitMs: this.options.timeoutMs, isAsking: false });
    } catch (error) {
      // A server of a cluster that has no slot yet, or none any more, is well: it only has no key to be tried on.
      if (!this.options.isRedirection?.(error)) {
        this.lastError = error;
        this.hangUp();
        return;
      }
    }
    if (this.isClosed) return;
    this.connectTimer?.cancel();
    this.lastError = null;
    this.isOutageLogged = false;
    const outage = this.breaker.close();
    this.log.info('guard.connected', {
      afterMs: this.clock.now() - (outage?.since ?? this.clock.now()),
      ...this.options.fields?.(),
    });
    this.whenFirstUp?.();
    this.whenFirstUp = null;
    await this.checkEviction();
  }

  /** Runs for a connection that ends and for one that never came about. */
  private lost(): void {
    this.connectTimer?.cancel();
    if (this.isClosed) return;
    const reason = this.lastError === null ? 'the connection ended' : reasonOf(this.lastError);
    this.lastError = null;
    this.breaker.open(reason);
    this.announce(reason);
  }

  /** Without waiting for the other end. The client connects anew by itself, unless the link has been closed. */
  private hangUp(): void {
    // Undefined before the first attempt, whatever its type says.
    const stream = this.redis.stream as Redis['stream'] | undefined;
    stream?.destroy();
  }

  /** One line an outage, however often it is tried to end it. */
  private announce(reason: string): void {
    if (!this.isOutageLogged && !this.isClosed) this.log.warn('guard.lost', { reason, ...this.options.fields?.() });
    this.isOutageLogged = true;
  }

  /** A server that evicts keys drops leases as well as memories of old events: two workers may then run one event. */
  private async checkEviction(): Promise<void> {
    try {
      // CONFIG is refused by many hosted servers; INFO says it too.
      const policy = /^maxmemory_policy:(\S+)/m.exec(await this.redis.info('memory'))?.[1] ?? NOEVICTION;
      if (policy !== this.policySeen)
        this.log.warn('guard.eviction_allowed', { policy, wanted: NOEVICTION, ...this.options.fields?.() });
      this.policySeen = policy;
    } catch {
      // Without the right to ask, nothing is known, and nothing is claimed.
    }
  }
}

/** Its words are read by people; those of the client name hosts. */
class NoMasterError extends Error {
  constructor(cause: Error) {
    const [, code] = /Last error: (?:\w+ )?([A-Z]{5,})\b/.exec(cause.message) ?? [];
    super(`no Sentinel names a master${code === undefined ? '' : ` (${code})`}`, { cause });
    this.name = 'NoMasterError';
  }
}

function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

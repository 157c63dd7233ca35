import { Redis } from 'ioredis';
import { isIP } from 'node:net';
import type { GuardAddress } from '../../config/guard-address.js';
import type { Clock, Timer } from '../../runtime/clock.js';
import { TimeLimitError } from '../../runtime/within.js';
import { GuardUnavailableError } from '../idempotency-store.js';
import { CircuitBreaker, type Outage } from './circuit-breaker.js';
import type { GuardScript } from './guard-scripts.js';
import { reasonOf, sendsElsewhere } from './redis-reasons.js';

export interface GuardLog {
  info(event: string, fields: Readonly<Record<string, unknown>>): void;
  warn(event: string, fields: Readonly<Record<string, unknown>>): void;
}

export interface ScriptCall {
  readonly script: GuardScript;
  readonly key: string;
  readonly args: readonly (string | number)[];
}

export interface RedisLinkOptions {
  readonly address: GuardAddress;
  readonly timeoutMs: number;
  /** Shows that the server takes what the guard will ask of it. */
  readonly probe: ScriptCall;
}

/** Enough to tell an outage from a reply that came late once. */
const FAILURES_MAX = 3;
/** The breaker's pause: no more than one connection is tried in this time. Short, as each try costs no caller anything. */
const RECONNECT_AFTER_MS = 250;
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
 *
 * Nothing waits in a queue: what cannot be sent now is rejected, so no step runs after its caller has gone on without it
 * (but for what Redis had in its socket when it stopped).
 */
export class RedisLink {
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
    private readonly log: GuardLog,
    private readonly options: RedisLinkOptions,
  ) {
    this.breaker = new CircuitBreaker(clock, FAILURES_MAX);
    this.breaker.open('not connected yet');
    this.redis = connectionTo(options.address);
    this.redis.on('connecting', () => this.connecting());
    this.redis.on('ready', () => void this.probe());
    this.redis.on('error', (error) => (this.lastError = error));
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

  trouble(): Outage | null {
    return this.breaker.outage;
  }

  /** The script's answer, or a rejection with `GuardUnavailableError` within the time limit. */
  async run(call: ScriptCall): Promise<number> {
    const { outage } = this.breaker;
    if (outage !== null) throw new GuardUnavailableError({ cause: outage.reason });
    if (this.callCount >= CALLS_MAX) throw new GuardUnavailableError({ cause: `${CALLS_MAX} calls under way` });
    this.callCount += 1;
    try {
      const answer = await this.ask(call);
      this.breaker.worked();
      return answer;
    } catch (error) {
      this.failed(error);
      throw new GuardUnavailableError({ cause: error });
    } finally {
      this.callCount -= 1;
    }
  }

  /** Without waiting for the other end, which may hang. */
  async close(): Promise<void> {
    this.isClosed = true;
    this.breaker.open('closed');
    this.connectTimer?.cancel();
    this.lookTimer?.cancel();
    this.whenFirstUp?.();
    this.redis.disconnect();
  }

  private ask({ script, key, args }: ScriptCall): Promise<number> {
    return new Promise((resolve, reject) => {
      let isOver = false;
      const tooLate = (): void => {
        isOver = true;
        reject(new TimeLimitError('Redis', this.options.timeoutMs));
      };
      // When this process itself was busy for longer than the limit, the timer comes before the reply is read, though it
      // is there. One turn of the event loop tells a slow Redis from a slow reader.
      const timer = this.clock.after(this.options.timeoutMs, () => void this.clock.nextTurn().then(tooLate));
      this.gather();
      this.redis
        .evalsha(script.sha, 1, key, ...args)
        .catch((error: unknown) => {
          // The cache of scripts is empty after a restart, a failover or SCRIPT FLUSH; EVAL fills it. Not for a caller that
          // has been told that there is no answer.
          if (isOver || !isNoScript(error)) throw error;
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
    const { stream } = this.redis;
    if (stream.writableCorked > 0) return;
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
    if (this.isClosed) return;
    this.connectTimer = this.clock.after(CONNECT_LIMIT_MS, () => {
      this.lastError = new TimeLimitError('a connection to Redis', CONNECT_LIMIT_MS);
      this.hangUp();
    });
  }

  /** Asks what a callback would ask, so that health tells of a Redis that takes no writes before an event meets it. */
  private look(): void {
    if (this.breaker.outage === null) this.run(this.options.probe).catch(() => undefined);
  }

  private async probe(): Promise<void> {
    try {
      await this.ask(this.options.probe);
    } catch (error) {
      this.lastError = error;
      this.hangUp();
      return;
    }
    if (this.isClosed) return;
    this.connectTimer?.cancel();
    this.lastError = null;
    this.isOutageLogged = false;
    const outage = this.breaker.close();
    this.log.info('guard.connected', { afterMs: this.clock.now() - (outage?.since ?? this.clock.now()) });
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
    if (!this.isOutageLogged && !this.isClosed) this.log.warn('guard.lost', { reason });
    this.isOutageLogged = true;
  }

  /** A server that evicts keys drops leases as well as memories of old events: two workers may then run one event. */
  private async checkEviction(): Promise<void> {
    try {
      // CONFIG is refused by many hosted servers; INFO says it too.
      const policy = /^maxmemory_policy:(\S+)/m.exec(await this.redis.info('memory'))?.[1] ?? NOEVICTION;
      if (policy !== this.policySeen) this.log.warn('guard.eviction_allowed', { policy, wanted: NOEVICTION });
      this.policySeen = policy;
    } catch {
      // Without the right to ask, nothing is known, and nothing is claimed.
    }
  }
}

function connectionTo({ host, port, tls, username, password, db }: GuardAddress): Redis {
  return new Redis({
    host,
    port,
    username,
    password,
    db,
    // The name is what a server with many certificates chooses by.
    ...(tls ? { tls: isIP(host) === 0 ? { servername: host } : {} } : {}),
    connectionName: 'wecom-callback-gateway',
    disableClientInfo: true,
    lazyConnect: true,
    // How long to wait for the other end to hang up as well: not at all.
    disconnectTimeout: 1,
    // No step may run later than its caller waits for it: no queue while there is no connection, and no resending.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => RECONNECT_AFTER_MS,
    maxLoadingRetryTime: RECONNECT_AFTER_MS,
  });
}

function isNoScript(error: unknown): boolean {
  return error instanceof Error && error.message.startsWith('NOSCRIPT');
}

import type { Clock } from '../../runtime/clock.js';
import { within } from '../../runtime/within.js';
import type { Trouble } from '../trouble.js';
import type { RocketMqClient } from './rocketmq-client.js';
import { isWiring, reasonOf } from './rocketmq-reasons.js';

export interface KeeperOptions<C extends RocketMqClient> {
  /** For the reason of a failure. */
  readonly what: string;
  readonly make: () => C;
  /** Why a started client cannot be used, or null. Somebody has to change the server's settings. */
  readonly refusal?: (client: C) => string | null;
}

/** The first start ended: it is up, the server is away (it is tried on), or the server has another idea of our wiring. */
export type FirstStart = { readonly kind: 'up' } | { readonly kind: 'away' } | RefusedStart;
export interface RefusedStart {
  readonly kind: 'refused';
  readonly cause: unknown;
}

interface Waiter<C> {
  readonly resolve: (client: C) => void;
  readonly reject: (error: Error) => void;
}

// A start may hang for ever; a good one takes a tenth of a second, or seconds on a server that has just begun.
const START_LIMIT_MS = 15_000;
const RESTART_AFTER_MS = 1_000;

/** Keeps one started client: starts it within a limit, ends one whose start failed or hung, and tries again. */
export class ClientKeeper<C extends RocketMqClient> {
  private current: C | null = null;
  private readonly closing = new AbortController();
  private readonly waiters = new Set<Waiter<C>>();
  private readonly endings = new Set<Promise<void>>();
  private running: Promise<void> = Promise.resolve();

  constructor(
    private readonly clock: Clock,
    private readonly trouble: Trouble,
    private readonly options: KeeperOptions<C>,
  ) {}

  /** Resolves with the end of the first try; more follow by themselves unless it is up. */
  start(): Promise<FirstStart> {
    return new Promise((resolve) => {
      this.running = this.run(resolve);
    });
  }

  /** The client, or null while there is none. */
  get client(): C | null {
    return this.current;
  }

  /** The client as soon as it is up. Rejects when the keeper closes. */
  up(): Promise<C> {
    if (this.current !== null) return Promise.resolve(this.current);
    if (this.closing.signal.aborted) return Promise.reject(closedError(this.options.what));
    return new Promise((resolve, reject) => this.waiters.add({ resolve, reject }));
  }

  /** Ends this client and starts another: its routes may lead to a server that has gone for good. */
  replace(client: C): void {
    if (this.current !== client || this.closing.signal.aborted) return;
    this.current = null;
    this.end(client);
    this.running = this.run(() => undefined);
  }

  async close(): Promise<void> {
    this.closing.abort(closedError(this.options.what));
    for (const waiter of this.waiters) waiter.reject(closedError(this.options.what));
    this.waiters.clear();
    await this.running;
    if (this.current !== null) this.end(this.current);
    this.current = null;
    await Promise.all(this.endings);
  }

  private async run(firstEnded: (first: FirstStart) => void): Promise<void> {
    while (!this.closing.signal.aborted) {
      firstEnded(await this.tryOnce());
      if (this.current !== null) return;
      await this.clock.sleep(RESTART_AFTER_MS, this.closing.signal).catch(() => undefined);
    }
    firstEnded({ kind: 'away' });
  }

  private async tryOnce(): Promise<FirstStart> {
    const { what, make, refusal } = this.options;
    const client = make();
    try {
      await within(this.clock, START_LIMIT_MS, `starting ${what}`, this.unlessClosing(client.start()));
      const reason = refusal?.(client) ?? null;
      if (reason !== null) return this.failed(client, new Error(reason), 'refused');
    } catch (error) {
      return this.failed(client, error, isWiring(error) ? 'refused' : 'away');
    }
    this.current = client;
    this.trouble.worked();
    for (const waiter of this.waiters) waiter.resolve(client);
    this.waiters.clear();
    return { kind: 'up' };
  }

  private failed(client: C, cause: unknown, kind: 'refused' | 'away'): FirstStart {
    // Or it would leave its timers and its telemetry loop behind.
    this.end(client);
    this.trouble.failed(new Error(`${this.options.what}: ${reasonOf(cause)}`));
    return kind === 'away' ? { kind } : { kind, cause };
  }

  private end(client: C): void {
    const ending = client.stop().finally(() => this.endings.delete(ending));
    this.endings.add(ending);
  }

  /** A close does not wait for a start that hangs. */
  private unlessClosing(start: Promise<void>): Promise<void> {
    const { signal } = this.closing;
    return new Promise((resolve, reject) => {
      const stop = (): void => reject(closedError(this.options.what));
      signal.addEventListener('abort', stop, { once: true });
      start.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
    });
  }
}

function closedError(what: string): Error {
  return new Error(`${what} is closed`);
}

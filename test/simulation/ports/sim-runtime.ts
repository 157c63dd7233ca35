import { Clock, type Timer } from '../../../src/runtime/clock.js';
import { Random } from '../../../src/runtime/random.js';
import { Log } from '../../../src/observability/log.js';
import { SeededRandom } from '../../../src/simulator/seeded-random.js';
import { never, type Life } from '../world/life.js';
import { EPOCH_MS, type World } from '../world/world.js';

/** Node's timers take no less than a millisecond. */
const TIMER_MS_MIN = 1;

/** The world's time as one process sees it. */
export class SimClock extends Clock {
  constructor(
    private readonly world: World,
    private readonly life: Life,
  ) {
    super();
  }

  override now(): number {
    return Math.floor(EPOCH_MS + this.world.now + this.life.host.clockOffset);
  }

  override monotonic(): number {
    return this.world.now;
  }

  override sleep(ms: number, signal?: AbortSignal): Promise<void> {
    if (!this.life.isAlive) return never();
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(asError(signal.reason));
      const stop = (): void => {
        entry.isCancelled = true;
        reject(asError(signal?.reason));
      };
      const entry = this.world.scheduler.after(Math.max(TIMER_MS_MIN, ms), this.life, () => {
        signal?.removeEventListener('abort', stop);
        resolve();
      });
      signal?.addEventListener('abort', stop, { once: true });
    });
  }

  override after(ms: number, task: () => void): Timer {
    if (!this.life.isAlive) return { cancel: () => undefined };
    const entry = this.world.scheduler.after(Math.max(TIMER_MS_MIN, ms), this.life, task);
    return { cancel: () => (entry.isCancelled = true) };
  }

  override every(ms: number, task: () => void): Timer {
    let timer: Timer = { cancel: () => undefined };
    let isOver = false;
    const next = (): void => {
      timer = this.after(ms, () => {
        task();
        if (!isOver) next();
      });
    };
    next();
    return {
      cancel: () => {
        isOver = true;
        timer.cancel();
      },
    };
  }

  override nextTurn(): Promise<void> {
    if (!this.life.isAlive) return never();
    return new Promise((resolve) => this.world.scheduler.after(0.01, this.life, resolve));
  }
}

export class SimRandom extends Random {
  private readonly random: SeededRandom;
  private tokens = 0;

  constructor(
    seed: number,
    private readonly life: Life,
  ) {
    super();
    this.random = new SeededRandom(seed, `random of ${life.name}`);
  }

  override token(): string {
    this.tokens += 1;
    return `${this.life.name}-${this.tokens}`;
  }

  override fraction(): number {
    return this.random.fraction();
  }

  override bytes(count: number): Buffer {
    return this.random.bytes(count);
  }
}

/** Warnings become lines of the history. */
export class SimLog extends Log {
  constructor(
    private readonly world: World,
    private readonly life: Life,
  ) {
    super(null as never);
  }

  override child(): Log {
    return this;
  }

  override debug(): void {}

  override info(event: string, fields: object = {}): void {
    this.line(event, fields);
  }

  override warn(event: string, fields: object = {}): void {
    this.line(event, fields);
  }

  override error(event: string, fields: object = {}): void {
    this.line(event, fields);
  }

  private line(event: string, fields: object): void {
    if (this.world.history !== null) this.world.tell(this.life.name, `  ${event} ${JSON.stringify(fields)}`);
  }
}

function asError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error('aborted', { cause: reason });
}

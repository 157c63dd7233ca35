import { fork, type ChildProcess } from 'node:child_process';
import { join } from 'node:path';
import type { Ask, FromProduct } from '../product/control.js';

const MAIN = join(import.meta.dirname, '../product/main.js');
const START_LIMIT_MS = 180_000;
const ANSWER_LIMIT_MS = 30_000;
const WAIT_FOR_END_MS = 30_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: string | null;
  readonly at: number;
}

interface Waiting {
  readonly resolve: (result: unknown) => void;
  readonly reject: (error: Error) => void;
}

/** One process of the product under test, with the channel that faults and questions go through. */
export class ProductProcess {
  port = 0;
  adminPort = 0;
  ended: Ended | null = null;
  /** True once the runner has asked for its end: an end before is a crash. */
  endIsWanted = false;
  /** When it was asked to stop, for the time that it took. */
  askedAt = 0;
  private readonly waiting = new Map<number, Waiting>();
  private asked = 0;
  private readonly whenEnded: Promise<void>;

  private constructor(
    readonly child: ChildProcess,
    private readonly onPoint: (point: string) => void,
    write: (text: string) => void,
  ) {
    child.stdout?.on('data', (chunk: Buffer) => write(chunk.toString()));
    child.stderr?.on('data', (chunk: Buffer) => write(chunk.toString()));
    child.on('message', (message: FromProduct) => this.take(message));
    this.whenEnded = new Promise((resolve) => {
      child.once('exit', (code, signal) => {
        this.ended = { code, signal, at: Date.now() };
        for (const { reject } of this.waiting.values()) reject(new Error('the product has ended'));
        this.waiting.clear();
        resolve();
      });
    });
    const killIt = (): void => void child.kill('SIGKILL');
    process.once('exit', killIt);
    child.once('exit', () => process.removeListener('exit', killIt));
  }

  static spawn(
    env: Readonly<Record<string, string>>,
    onPoint: (point: string) => void,
    write: (text: string) => void,
  ): ProductProcess {
    const child = fork(MAIN, {
      env: { PATH: process.env['PATH'], ...env },
      execArgv: ['--expose-gc', '--enable-source-maps'],
      stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
    });
    return new ProductProcess(child, onPoint, write);
  }

  get pid(): number {
    return this.child.pid ?? 0;
  }

  get isAlive(): boolean {
    return this.ended === null;
  }

  /** Resolves when it has started, or has ended instead. */
  async started(): Promise<boolean> {
    const deadline = Date.now() + START_LIMIT_MS;
    while (this.port === 0 && this.isAlive && Date.now() < deadline) await sleep(10);
    return this.port !== 0;
  }

  ask(ask: Ask): Promise<unknown> {
    if (!this.isAlive) return Promise.reject(new Error('the product is not running'));
    const id = (this.asked += 1);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error(`the product did not answer ${ask.ask}`)), ANSWER_LIMIT_MS);
      const done = (): void => {
        clearTimeout(timer);
        this.waiting.delete(id);
      };
      this.waiting.set(id, {
        resolve: (result) => {
          done();
          resolve(result);
        },
        reject: (error) => {
          done();
          reject(error);
        },
      });
      this.child.send({ ...ask, id });
    });
  }

  signal(signal: NodeJS.Signals): void {
    this.endIsWanted = true;
    this.askedAt = Date.now();
    this.child.kill(signal);
  }

  /** True when it has ended within the limit. */
  async waitForEnd(limitMs = WAIT_FOR_END_MS): Promise<boolean> {
    await Promise.race([this.whenEnded, sleep(limitMs)]);
    return !this.isAlive;
  }

  private take(message: FromProduct): void {
    if (message.kind === 'started') {
      this.adminPort = message.adminPort;
      this.port = message.port;
    } else if (message.kind === 'point') this.onPoint(message.point);
    else {
      const waiting = this.waiting.get(message.id);
      if (message.error === undefined) waiting?.resolve(message.result);
      else waiting?.reject(new Error(message.error));
    }
  }
}

export function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

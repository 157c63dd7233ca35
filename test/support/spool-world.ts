import { expect } from 'vitest';
import { FileSpool, type SpoolOptions } from '../../src/callback/file-spool.js';
import { SpoolFailedError, type SpooledMessage } from '../../src/callback/spool.js';
import type { OutgoingMessage } from '../../src/transport/transport.js';
import { ManualClock } from './manual-clock.js';
import { MemoryDisk } from './memory-disk.js';

/** The first segment of an empty folder. */
export const FIRST = '/spool/00000001.spool';
export const RETRY_MS = 100;

export const spoolDefaults: SpoolOptions = {
  folder: '/spool',
  segmentBytesMax: 10_000,
  bytesMax: 100_000,
  frameBytesMax: 5_000,
  appendTimeoutMs: 500,
  drainBatchMax: 10,
  drainRetryDelayMs: RETRY_MS,
  drainRetryDelayMsMax: 800,
};

export function event(body: string, topic = 'wecom.events'): SpooledMessage {
  return { topic, orderingKey: `entity of ${body}`, body };
}

/** More at once are not acknowledged in time. */
const FEW = 3;

/** A transport that is up, slow (20 ms), takes few at a time, is down, or holds each publish until the test answers it. */
export class FakeTransport {
  mode: 'up' | 'slow' | 'few' | 'down' | 'held' = 'up';
  readonly bodies: string[] = [];
  readonly batches: { topic: string; bodies: string[]; at: number }[] = [];
  readonly held: { acknowledge: () => void; refuse: () => void }[] = [];

  constructor(private readonly clock: ManualClock) {}

  readonly publish = async (topic: string, messages: OutgoingMessage[]): Promise<void> => {
    const bodies = messages.map(({ body }) => body);
    this.batches.push({ topic, bodies, at: this.clock.monotonic() });
    if (this.mode === 'down') throw new Error('transport is down');
    if (this.mode === 'few' && bodies.length > FEW) throw new Error('it took longer than its limit');
    if (this.mode === 'slow') await this.clock.sleep(20);
    if (this.mode === 'held') {
      await new Promise<void>((resolve, reject) => {
        this.held.push({ acknowledge: resolve, refuse: () => reject(new Error('not acknowledged')) });
      });
    }
    this.bodies.push(...bodies);
  };
}

/** A spool's surroundings: a clock that the test moves, a disk and a transport that fail on command. */
export class SpoolWorld {
  readonly clock = new ManualClock();
  disk = new MemoryDisk();
  readonly transport = new FakeTransport(this.clock);
  readonly warnings: string[] = [];

  async open(options: Partial<SpoolOptions> = {}): Promise<FileSpool> {
    const { disk } = this;
    const publish: FakeTransport['publish'] = async (topic, messages) => {
      // A process that died with its disk publishes nothing any more.
      if (disk !== this.disk) await new Promise<never>(() => undefined);
      await this.transport.publish(topic, messages);
    };
    const spool = new FileSpool(
      disk,
      this.clock,
      publish,
      { ...spoolDefaults, ...options },
      {
        warn: (name) => this.warnings.push(name),
      },
    );
    await spool.open();
    return spool;
  }

  /** Appends one after another, each in a group of its own. */
  async append(spool: FileSpool, ...bodies: string[]): Promise<void> {
    for (const body of bodies) await spool.append(event(body));
  }

  /** The power goes; a new process opens the folder and publishes everything in it. */
  async restartAndDrain(keptBytes = 0): Promise<string[]> {
    this.disk = this.disk.crash(keptBytes);
    this.transport.mode = 'up';
    this.transport.bodies.length = 0;
    const spool = await this.open();
    await this.clock.advance(RETRY_MS);
    expect(spool.isHolding()).toBe(false);
    await this.end(spool.close());
    return [...this.transport.bodies];
  }

  async end(closing: Promise<void>): Promise<void> {
    await this.clock.settle();
    await closing;
  }
}

/** What an append came to by now; undefined while it runs. */
export function watch(appending: Promise<void>): { result: string | undefined } {
  const watched: { result: string | undefined } = { result: undefined };
  appending.then(
    () => (watched.result = 'durable'),
    (error: unknown) => (watched.result = error instanceof SpoolFailedError ? error.message : 'another error'),
  );
  return watched;
}

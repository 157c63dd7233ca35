import { mkdtemp, rm, truncate } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { FileSpool, type SpoolOptions } from '../../src/callback/file-spool.js';
import type { Spool } from '../../src/callback/spool.js';
import type { Disk } from '../../src/runtime/disk.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { SystemDisk } from '../../src/runtime/system-disk.js';
import { MemoryDisk } from '../support/memory-disk.js';

interface SpoolHarness {
  readonly name: string;
  make(): Promise<{ disk: Disk; folder: string; dispose: () => Promise<void> }>;
}

const harnesses: SpoolHarness[] = [
  {
    name: 'FileSpool on SystemDisk',
    make: async () => {
      const parent = await mkdtemp(join(tmpdir(), 'spool-contract-'));
      const dispose = (): Promise<void> => rm(parent, { recursive: true, force: true });
      return { disk: new SystemDisk(), folder: join(parent, 'spool'), dispose };
    },
  },
  {
    name: 'FileSpool on MemoryDisk',
    make: async () => ({ disk: new MemoryDisk(), folder: '/spool', dispose: async () => undefined }),
  },
];

const DEADLINE_MS = 10_000;
const bodies = Array.from({ length: 200 }, (_, index) => `事件 ${index} ${'x'.repeat(index)}`);

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('the condition was not met in time');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe.each(harnesses)('$name, in real time', (harness) => {
  let disk: Disk;
  let folder: string;
  let dispose: () => Promise<void>;
  let published: string[];
  let isUp: boolean;
  const opened: Spool[] = [];

  beforeEach(async () => {
    ({ disk, folder, dispose } = await harness.make());
    published = [];
    isUp = false;
  });

  afterEach(async () => {
    for (const spool of opened.splice(0)) await spool.close();
    await dispose();
  });

  async function open(): Promise<Spool> {
    const options: SpoolOptions = {
      folder,
      segmentBytesMax: 4_096,
      bytesMax: 1_000_000,
      frameBytesMax: 4_096,
      appendTimeoutMs: DEADLINE_MS,
      drainBatchMax: 16,
      drainRetryDelayMs: 1,
      drainRetryDelayMsMax: 4,
    };
    const publish = async (_topic: string, messages: { body: string }[]): Promise<void> => {
      if (!isUp) throw new Error('transport is down');
      published.push(...messages.map(({ body }) => body));
    };
    const spool = new FileSpool(disk, new SystemClock(), publish, options);
    opened.push(spool);
    await spool.open();
    return spool;
  }

  async function fill(spool: Spool): Promise<void> {
    // The queue takes one segment at a time, so that many at once would be refused.
    for (let from = 0; from < bodies.length; from += 8) {
      const group = bodies.slice(from, from + 8);
      await Promise.all(group.map((body) => spool.append({ topic: 't', orderingKey: 'k', body })));
    }
  }

  it('publishes everything in order once the transport is back, and leaves no file', async () => {
    const spool = await open();
    await fill(spool);
    expect((await disk.list(folder)).length).toBeGreaterThan(5);
    isUp = true;
    await until(() => !spool.isHolding() && spool.state().bytes === 0);
    expect(published).toEqual(bodies);
    expect(await disk.list(folder)).toEqual([]);
  });

  it('publishes after a restart what an earlier process left', async () => {
    const earlier = await open();
    await fill(earlier);
    await earlier.close();
    expect(published).toEqual([]);
    isUp = true;
    const spool = await open();
    expect(spool.state().depth).toBe(bodies.length);
    await until(() => !spool.isHolding() && spool.state().bytes === 0);
    expect(published).toEqual(bodies);
    expect(await disk.list(folder)).toEqual([]);
  });

  it('cuts a torn tail and keeps what is before it', async () => {
    const earlier = await open();
    await fill(earlier);
    await earlier.close();
    const last = (await disk.list(folder)).at(-1) ?? '';
    const size = (await disk.read(`${folder}/${last}`)).length;
    if (disk instanceof SystemDisk) await truncate(`${folder}/${last}`, size - 1);
    else await disk.truncate(`${folder}/${last}`, size - 1);
    isUp = true;
    const spool = await open();
    await until(() => !spool.isHolding());
    expect(published).toEqual(bodies.slice(0, -1));
  });
});

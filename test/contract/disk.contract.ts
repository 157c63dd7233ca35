import { mkdtemp, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Disk } from '../../src/runtime/disk.js';
import { SystemDisk } from '../../src/runtime/system-disk.js';
import { MemoryDisk } from '../support/memory-disk.js';

interface DiskHarness {
  readonly name: string;
  /** A disk, and a folder on it that does not exist but whose parent does. */
  make(): Promise<{ disk: Disk; folder: string; dispose: () => Promise<void> }>;
}

const harnesses: DiskHarness[] = [
  {
    name: 'SystemDisk',
    make: async () => {
      const parent = await mkdtemp(join(tmpdir(), 'disk-contract-'));
      return {
        disk: new SystemDisk(),
        folder: join(parent, 'spool'),
        dispose: () => rm(parent, { recursive: true, force: true }),
      };
    },
  },
  {
    name: 'MemoryDisk',
    make: async () => ({ disk: new MemoryDisk(), folder: '/spool', dispose: async () => undefined }),
  },
];

describe.each(harnesses)('$name as a Disk', (harness) => {
  let disk: Disk;
  let folder: string;
  let dispose: () => Promise<void>;

  it('tells how much room there is', async () => {
    await disk.ensureFolder(folder);
    const { size, free } = await disk.space(folder);
    expect(size).toBeGreaterThan(0);
    expect(free).toBeGreaterThan(0);
    expect(free).toBeLessThanOrEqual(size);
  });

  beforeEach(async () => {
    ({ disk, folder, dispose } = await harness.make());
  });

  afterEach(() => dispose());

  async function write(name: string, text: string): Promise<string> {
    const path = `${folder}/${name}`;
    const file = await disk.openAppend(path);
    await file.append(Buffer.from(text));
    await file.sync();
    await file.close();
    return path;
  }

  it('creates a folder with its parents, and again without complaint', async () => {
    await disk.ensureFolder(`${folder}/a/b`);
    await disk.ensureFolder(`${folder}/a/b`);
    expect(await disk.list(`${folder}/a/b`)).toEqual([]);
  });

  it('lists names in code-unit order', async () => {
    await disk.ensureFolder(folder);
    for (const name of ['b', 'a', 'B', '10', '9']) await write(name, '');
    expect(await disk.list(folder)).toEqual(['10', '9', 'B', 'a', 'b']);
  });

  it('reads back appended bytes in the order of the appends', async () => {
    await disk.ensureFolder(folder);
    const file = await disk.openAppend(`${folder}/f`);
    await file.append(Buffer.from('one '));
    await file.append(Buffer.alloc(0));
    await file.append(Buffer.from('two'));
    await file.sync();
    await file.close();
    expect((await disk.read(`${folder}/f`)).toString()).toBe('one two');
  });

  it('appends behind what a file already holds', async () => {
    await disk.ensureFolder(folder);
    await write('f', 'old ');
    const path = await write('f', 'new');
    expect((await disk.read(path)).toString()).toBe('old new');
  });

  it('does not change what was appended when the caller uses its buffer again', async () => {
    await disk.ensureFolder(folder);
    const file = await disk.openAppend(`${folder}/f`);
    const data = Buffer.from('abc');
    await file.append(data);
    data.fill(0);
    await file.close();
    expect((await disk.read(`${folder}/f`)).toString()).toBe('abc');
  });

  it('keeps every byte of a large append', async () => {
    await disk.ensureFolder(folder);
    const data = Buffer.alloc(3 * 1024 * 1024, 'xyz');
    const file = await disk.openAppend(`${folder}/f`);
    await file.append(data);
    await file.close();
    expect((await disk.read(`${folder}/f`)).equals(data)).toBe(true);
  });

  it('cuts a file to a size, also while it is open for appending', async () => {
    await disk.ensureFolder(folder);
    const file = await disk.openAppend(`${folder}/f`);
    await file.append(Buffer.from('abcdef'));
    await disk.truncate(`${folder}/f`, 2);
    await file.append(Buffer.from('Z'));
    await file.close();
    expect((await disk.read(`${folder}/f`)).toString()).toBe('abZ');
  });

  it('removes a file, and a missing one without complaint', async () => {
    await disk.ensureFolder(folder);
    const path = await write('f', 'x');
    await disk.remove(path);
    await disk.remove(path);
    expect(await disk.list(folder)).toEqual([]);
  });

  it('renames a file over another', async () => {
    await disk.ensureFolder(folder);
    const from = await write('a', 'kept');
    await write('b', 'gone');
    await disk.rename(from, `${folder}/b`);
    expect(await disk.list(folder)).toEqual(['b']);
    expect((await disk.read(`${folder}/b`)).toString()).toBe('kept');
  });

  it.each([
    ['reading', () => disk.read(`${folder}/none`)],
    ['cutting', () => disk.truncate(`${folder}/none`, 0)],
    ['renaming', () => disk.rename(`${folder}/none`, `${folder}/other`)],
    ['listing', () => disk.list(`${folder}/none`)],
    ['opening below', () => disk.openAppend(`${folder}/none/f`)],
  ])('rejects with ENOENT when %s what is not there', async (_name, act) => {
    await disk.ensureFolder(folder);
    await expect(act()).rejects.toMatchObject({ code: 'ENOENT' });
  });

  it('rejects an append to a closed file', async () => {
    await disk.ensureFolder(folder);
    const file = await disk.openAppend(`${folder}/f`);
    await file.close();
    await expect(file.append(Buffer.from('x'))).rejects.toThrow();
  });
});

describe('SystemDisk', () => {
  it('lets nobody but its own user read what it writes', async () => {
    const parent = await mkdtemp(join(tmpdir(), 'disk-contract-'));
    try {
      const disk = new SystemDisk();
      await disk.ensureFolder(join(parent, 'spool'));
      await (await disk.openAppend(join(parent, 'spool', 'f'))).close();
      expect((await stat(join(parent, 'spool'))).mode & 0o077).toBe(0);
      expect((await stat(join(parent, 'spool', 'f'))).mode & 0o077).toBe(0);
    } finally {
      await rm(parent, { recursive: true, force: true });
    }
  });
});

describe('MemoryDisk', () => {
  async function open(disk: MemoryDisk): ReturnType<MemoryDisk['openAppend']> {
    await disk.ensureFolder('/d');
    return disk.openAppend('/d/f');
  }

  it('loses at a crash what was not synced, and nothing else', async () => {
    const disk = new MemoryDisk();
    const file = await open(disk);
    await file.append(Buffer.from('synced'));
    await file.sync();
    await file.append(Buffer.from('lost'));
    expect(disk.content('/d/f').toString()).toBe('syncedlost');
    expect(disk.crash().content('/d/f').toString()).toBe('synced');
  });

  it('tears what was not synced at the byte asked for', async () => {
    const disk = new MemoryDisk();
    const file = await open(disk);
    await file.append(Buffer.from('ab'));
    await file.sync();
    await file.append(Buffer.from('cd'));
    await file.append(Buffer.from('ef'));
    expect(disk.crash(3).content('/d/f').toString()).toBe('abcde');
  });

  it('does not make durable by a later sync what a failed sync covered', async () => {
    const disk = new MemoryDisk();
    const file = await open(disk);
    await file.append(Buffer.from('ab'));
    disk.fail('sync', { code: 'EIO' });
    await expect(file.sync()).rejects.toMatchObject({ code: 'EIO' });
    await file.append(Buffer.from('cd'));
    await file.sync();
    expect(disk.crash().content('/d/f')).toEqual(Buffer.from('\0\0cd'));
  });

  it('writes what fits when it is full', async () => {
    const disk = new MemoryDisk();
    disk.capacityBytes = 3;
    const file = await open(disk);
    await expect(file.append(Buffer.from('abcdef'))).rejects.toMatchObject({ code: 'ENOSPC' });
    expect(disk.content('/d/f').toString()).toBe('abc');
  });

  it('holds a call while its operation hangs, and forbids a second one meanwhile', async () => {
    const disk = new MemoryDisk();
    const file = await open(disk);
    const hang = disk.hang('append');
    const held = file.append(Buffer.from('a'));
    await expect(file.sync()).rejects.toThrow('overlap');
    hang.release();
    await held;
    expect(disk.content('/d/f').toString()).toBe('a');
  });

  it('is dead after a crash: nothing that was begun before it has an effect', async () => {
    const disk = new MemoryDisk();
    const file = await open(disk);
    const hang = disk.hang('remove');
    void disk.remove('/d/f');
    const next = disk.crash();
    hang.release();
    void file.append(Buffer.from('a'));
    await new Promise((resolve) => setImmediate(resolve));
    expect(next.paths()).toEqual(['/d/f']);
    expect(disk.content('/d/f').length).toBe(0);
  });
});

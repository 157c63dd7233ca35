import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, statfs } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { Disk, type DiskFile } from './disk.js';

// What is written here holds decrypted callbacks: nobody but the service's own user reads it.
const FILE_MODE = 0o600;
const FOLDER_MODE = 0o700;

/** The machine's own file system. */
export class SystemDisk extends Disk {
  override async ensureFolder(path: string): Promise<void> {
    const folder = resolve(path);
    const firstCreated = await mkdir(folder, { recursive: true, mode: FOLDER_MODE });
    if (firstCreated === undefined) return;
    // A folder whose name is not durable takes its files along when the power goes.
    const top = dirname(firstCreated);
    for (let parent = dirname(folder); parent.length >= top.length; parent = dirname(parent)) {
      await syncFolder(parent);
      if (parent === top) break;
    }
  }

  override async list(folder: string): Promise<string[]> {
    return (await readdir(folder)).sort();
  }

  override async openAppend(path: string): Promise<DiskFile> {
    const handle = await open(path, 'a', FILE_MODE);
    try {
      await syncFolder(dirname(path));
    } catch (error) {
      await handle.close();
      throw error;
    }
    return new SystemDiskFile(handle);
  }

  override read(path: string): Promise<Buffer> {
    return readFile(path);
  }

  override async truncate(path: string, size: number): Promise<void> {
    const handle = await open(path, 'r+');
    try {
      await handle.truncate(size);
      await handle.sync();
    } finally {
      await handle.close();
    }
  }

  override async remove(path: string): Promise<void> {
    await rm(path, { force: true });
    await syncFolder(dirname(path));
  }

  override async rename(from: string, to: string): Promise<void> {
    await rename(from, to);
    await syncFolder(dirname(to));
  }

  override async space(folder: string): Promise<{ size: number; free: number }> {
    const { bsize, blocks, bavail } = await statfs(folder);
    return { size: blocks * bsize, free: bavail * bsize };
  }
}

class SystemDiskFile implements DiskFile {
  constructor(private readonly handle: FileHandle) {}

  async append(data: Buffer): Promise<void> {
    let written = 0;
    // One call may write less than it was given, for example on a disk that has just become full.
    while (written < data.length) {
      const { bytesWritten } = await this.handle.write(data, written, data.length - written);
      written += bytesWritten;
    }
  }

  sync(): Promise<void> {
    // Spares the write of the access times; the size, which reading back needs, is covered.
    return this.handle.datasync();
  }

  close(): Promise<void> {
    return this.handle.close();
  }
}

async function syncFolder(path: string): Promise<void> {
  // Windows opens no folder for syncing; its file system journals names by itself.
  if (process.platform === 'win32') return;
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

import { spawnSync } from 'node:child_process';
import { closeSync, mkdtempSync, openSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';

/** A suite that needs a disk of its own to fill: skipped for those who may not mount one, loudly, and failed in CI. */
export function describeWithSmallDisk(name: string, suite: () => void): void {
  if (mayMount()) {
    describe(name, suite);
    return;
  }
  const hint = `"${name}" cannot run: it mounts a tmpfs, which needs root`;
  if (process.env['CI']) {
    describe(name, () => it('may mount a tmpfs', () => expect.fail(hint)));
    return;
  }
  console.warn(`SKIPPED: ${hint}`);
  describe.skip(name, suite);
}

/** A file system of so many bytes, which a test can fill up. */
export class SmallDisk {
  private constructor(readonly folder: string) {}

  static mount(bytes: number): SmallDisk {
    const folder = mkdtempSync(join(tmpdir(), 'wecom-disk-'));
    const { status, stderr } = mountTmpfs(folder, bytes);
    if (status !== 0) throw new Error(`mount failed: ${String(stderr)}`);
    const disk = new SmallDisk(folder);
    process.once('exit', () => disk.unmount());
    return disk;
  }

  get freeBytes(): number {
    const { bavail, bsize } = statfsSync(this.folder);
    return bavail * bsize;
  }

  /** Somebody else's file takes all that is left. */
  fill(): void {
    const file = openSync(join(this.folder, 'somebody-elses'), 'w');
    try {
      while (this.freeBytes > 0) writeSync(file, Buffer.alloc(Math.min(this.freeBytes, 65_536)));
    } finally {
      closeSync(file);
    }
  }

  free(): void {
    rmSync(join(this.folder, 'somebody-elses'), { force: true });
  }

  /** Also while a process still has files open there. */
  unmount(): void {
    spawnSync('umount', ['--lazy', this.folder]);
    rmSync(this.folder, { recursive: true, force: true });
  }
}

function mountTmpfs(folder: string, bytes: number): ReturnType<typeof spawnSync> {
  return spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${bytes}`, 'tmpfs', folder]);
}

function mayMount(): boolean {
  const folder = mkdtempSync(join(tmpdir(), 'wecom-disk-'));
  const isMounted = mountTmpfs(folder, 65_536).status === 0;
  if (isMounted) spawnSync('umount', [folder]);
  rmSync(folder, { recursive: true, force: true });
  return isMounted;
}

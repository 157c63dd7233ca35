import { Disk, type DiskFile } from '../../../src/runtime/disk.js';
import type { MemoryDisk } from '../../support/memory-disk.js';
import { never, type Life } from '../world/life.js';
import type { World } from '../world/world.js';

/** Without it hardly any power cut would come while something is written and not yet synced. */
const SYNC_CRASH_CHANCE = 0.1;

/** The disk of one host, as one process of it calls it: each call takes its time, and the process may end in it. */
export class SimDisk extends Disk {
  constructor(
    private readonly world: World,
    private readonly life: Life,
    private readonly disk: MemoryDisk,
  ) {
    super();
  }

  override ensureFolder(path: string): Promise<void> {
    return this.step('ensureFolder', () => this.disk.ensureFolder(path));
  }

  override list(folder: string): Promise<string[]> {
    return this.step('list', () => this.disk.list(folder));
  }

  override async openAppend(path: string): Promise<DiskFile> {
    const file = await this.step('openAppend', () => this.disk.openAppend(path));
    return {
      append: (data) => this.step('append', () => file.append(data)),
      sync: () => this.step('sync', () => file.sync()),
      close: () => this.step('close', () => file.close()),
    };
  }

  override read(path: string): Promise<Buffer> {
    return this.step('read', () => this.disk.read(path));
  }

  override truncate(path: string, size: number): Promise<void> {
    return this.step('truncate', () => this.disk.truncate(path, size));
  }

  override remove(path: string): Promise<void> {
    return this.step('remove', () => this.disk.remove(path));
  }

  override rename(from: string, to: string): Promise<void> {
    return this.step('rename', () => this.disk.rename(from, to));
  }

  override space(): Promise<{ size: number; free: number }> {
    return this.step('space', () => this.disk.space());
  }

  private async step<T>(what: string, act: () => Promise<T>): Promise<T> {
    const { world, life } = this;
    const isSlow =
      !world.isCalmed && world.profile.perCall.slow > 0 && world.random.chance(world.profile.perCall.slow / 3);
    await world.local(life, `disk.${what}`, isSlow ? world.random.fraction() * 3_000 : world.random.fraction());
    world.tell(life.name, `disk.${what}`);
    if (
      what === 'sync' &&
      !world.isCalmed &&
      world.profile.perCall.crash > 0 &&
      world.random.chance(SYNC_CRASH_CHANCE)
    ) {
      world.hit('crash');
      world.crash(life, 'power cut before the sync');
      await never();
    }
    const result = await act();
    world.point(life, `disk.${what}`, 'after');
    if (!life.isAlive) await never();
    return result;
  }
}

import type { Disk } from '../runtime/disk.js';
import type { SpoolHealth } from './spool-health.js';

// As large as a callback, so that a disk with room for a few bytes only does not pass for a well one.
const CONTENT = Buffer.alloc(2_048, 'x');

/**
 * Finds out whether the spool's disk is well again. Appends would show it, but they come from traffic, and a gateway
 * that cannot keep an event may be taken out of traffic until it says that it can.
 */
export class SpoolProbe {
  private running: Promise<void> | null = null;

  /** `isWorthwhile`: false while an append would be refused however well the disk is, or a call on it hangs already. */
  constructor(
    private readonly disk: Disk,
    private readonly folder: string,
    private readonly health: SpoolHealth,
    private readonly isWorthwhile: () => boolean,
  ) {}

  /** One at a time: a disk that hangs gets no second call. */
  run(): void {
    if (this.running !== null || !this.isWorthwhile()) return;
    this.running = this.attempt().finally(() => (this.running = null));
  }

  async idle(): Promise<void> {
    await this.running;
  }

  private async attempt(): Promise<void> {
    try {
      await this.write();
      this.health.worked('append');
    } catch (error) {
      this.health.failed('append', `the disk refused a probe (${String(error)})`);
    }
  }

  /** Not a segment: no frame depends on this file, and a start passes over what a crash left of it. */
  private async write(): Promise<void> {
    const path = `${this.folder}/probe`;
    // Where nothing can be removed, nothing is written: a probe a second must not fill the disk.
    await this.disk.remove(path);
    try {
      const file = await this.disk.openAppend(path);
      try {
        await file.append(CONTENT);
        await file.sync();
      } finally {
        await file.close();
      }
    } finally {
      await this.disk.remove(path);
    }
  }
}

import type { Clock } from '../runtime/clock.js';
import type { Disk } from '../runtime/disk.js';
import { type PublishSpooled, SpoolDrain, type SpoolDrainOptions } from './spool-drain.js';
import { SpoolHealth, type SpoolLog } from './spool-health.js';
import { SpoolProbe } from './spool-probe.js';
import { SpoolSegments } from './spool-segments.js';
import { SpoolWriter, type SpoolWriterOptions } from './spool-writer.js';
import { Spool, SpoolFailedError, type SpooledMessage, type SpoolState } from './spool.js';

export interface SpoolOptions extends SpoolWriterOptions, SpoolDrainOptions {
  /** Absolute, and of this process alone: two gateways in one folder would write into each other's segments. */
  readonly folder: string;
}

const silent: SpoolLog = { warn: () => undefined };

/**
 * The spool in files `00000001.spool`, `00000002.spool`, … of one folder. A file goes when each of its frames was
 * published. How far its frames were published is kept in memory only: after a crash the file is published again
 * from its start, which wall 3 makes harmless; a position on the disk would cost an fsync a batch.
 */
export class FileSpool extends Spool {
  private readonly segments: SpoolSegments;
  private readonly health: SpoolHealth;
  private readonly writer: SpoolWriter;
  private readonly drain: SpoolDrain;
  private readonly probe: SpoolProbe;
  private phase: 'new' | 'open' | 'closed' = 'new';

  constructor(
    disk: Disk,
    private readonly clock: Clock,
    publish: PublishSpooled,
    private readonly options: SpoolOptions,
    log: SpoolLog = silent,
  ) {
    super();
    this.segments = new SpoolSegments(disk, options.folder, log);
    this.health = new SpoolHealth(clock, log, () => this.probe.run());
    this.writer = new SpoolWriter(disk, clock, this.segments, this.health, options, () => this.drain.wake());
    this.drain = new SpoolDrain(clock, this.segments, this.writer, this.health, publish, options);
    this.probe = new SpoolProbe(disk, options.folder, this.health, () => this.writer.wouldAccept());
  }

  override async open(): Promise<void> {
    try {
      await this.segments.load();
    } catch (cause) {
      throw new SpoolFailedError(`its folder ${this.options.folder} cannot be read`, { cause });
    }
    this.phase = 'open';
    this.drain.wake();
  }

  override append(message: SpooledMessage): Promise<void> {
    if (this.phase !== 'open') return Promise.reject(new SpoolFailedError(`it is ${this.phase}`));
    return this.writer.append(message);
  }

  override isHolding(): boolean {
    return this.writer.pendingCount > 0 || this.segments.depth > 0;
  }

  override state(): SpoolState {
    const { depth, bytes, oldestAt, damagedCount } = this.segments;
    const { canAppend } = this.health;
    return { depth, bytes, oldestAt, trouble: this.health.trouble(), canAppend, damagedSegments: damagedCount };
  }

  override async close(): Promise<void> {
    this.phase = 'closed';
    this.health.close();
    // All go on behind the limit if the disk or the transport comes back, so no file stays open for ever.
    const done = Promise.all([this.drain.stop(), this.writer.close(), this.probe.idle()]).then(() => undefined);
    await this.within(this.options.appendTimeoutMs, done);
  }

  private async within(limitMs: number, work: Promise<void>): Promise<void> {
    let giveUp: () => void = () => undefined;
    const limit = new Promise<void>((resolve) => (giveUp = resolve));
    const timer = this.clock.after(limitMs, giveUp);
    await Promise.race([work, limit]).finally(() => timer.cancel());
  }
}

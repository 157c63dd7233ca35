import type { Clock, Timer } from '../runtime/clock.js';
import type { Disk, DiskFile } from '../runtime/disk.js';
import { layOutFrame, stampFrame } from './spool-frame.js';
import type { SpoolHealth } from './spool-health.js';
import type { SpoolSegment, SpoolSegments } from './spool-segments.js';
import { SpoolFailedError, type SpooledMessage } from './spool.js';

export interface SpoolWriterOptions {
  readonly segmentBytesMax: number;
  readonly bytesMax: number;
  readonly frameBytesMax: number;
  readonly appendTimeoutMs: number;
}

interface PendingAppend {
  readonly message: SpooledMessage;
  readonly appendedAt: number;
  readonly frame: Buffer;
  /** False when it ran out of time, or was answered already. */
  isWaiting: boolean;
  settle(error?: SpoolFailedError): void;
}

/**
 * Group commit: while one write and fsync runs, appends queue up, and the next write takes all of them. The disk may
 * hang; then callers are refused after their limit, and later ones at once until the hanging call has returned.
 */
export class SpoolWriter {
  /** Appends that were accepted and not yet answered. */
  pendingCount = 0;
  private queue: PendingAppend[] = [];
  /** Includes the group whose segment is being opened: it counts until the segment counts it. */
  private queuedBytes = 0;
  private active: { readonly segment: SpoolSegment; file: DiskFile | null } | null = null;
  private running: Promise<void> | null = null;
  private group: Promise<void> | null = null;
  private isHanging = false;
  /** Of the append refused last, no more than could ever be accepted. */
  private refusedBytes = 0;

  constructor(
    private readonly disk: Disk,
    private readonly clock: Clock,
    private readonly segments: SpoolSegments,
    private readonly health: SpoolHealth,
    private readonly options: SpoolWriterOptions,
    private readonly onGroupEnd: () => void,
  ) {}

  /** Accepts or refuses before it returns: `pendingCount` holds the append at once, so nothing can overtake it. */
  append(message: SpooledMessage): Promise<void> {
    const appendedAt = this.clock.now();
    const frame = layOutFrame(message, appendedAt);
    const refusal = this.refusalOf(frame.length);
    if (refusal !== null) {
      const { frameBytesMax, bytesMax } = this.options;
      this.refusedBytes = Math.min(frame.length, frameBytesMax, bytesMax);
      const error = new SpoolFailedError(refusal);
      this.health.failed('append', error);
      return Promise.reject(error);
    }
    return new Promise((resolve, reject) => {
      const timer = this.clock.after(this.options.appendTimeoutMs, () => this.giveUp(pending));
      const pending = this.makePending({ message, appendedAt, frame }, timer, resolve, reject);
      this.queue.push(pending);
      this.queuedBytes += frame.length;
      this.running ??= this.writeGroups();
    });
  }

  /** Whether an append like the one refused last would now be tried on the disk. */
  wouldAccept(): boolean {
    return this.refusalOf(this.refusedBytes) === null;
  }

  /** Resolves when the group that may change the segment has ended; null when none is written. */
  writingTo(segment: SpoolSegment): Promise<void> | null {
    return this.active?.segment === segment ? this.group : null;
  }

  /** Stops writing to the segment; the next group begins another. Only while `writingTo` is null. */
  async letGo(segment: SpoolSegment): Promise<void> {
    if (this.active?.segment !== segment) return;
    await this.sealActive();
  }

  /** Resolves when everything accepted was answered and the file is closed. */
  async close(): Promise<void> {
    await this.running;
    await this.sealActive();
  }

  private refusalOf(frameBytes: number): string | null {
    const { frameBytesMax, bytesMax, segmentBytesMax } = this.options;
    if (frameBytes > frameBytesMax) return 'the event is too large';
    if (this.isHanging) return 'the disk hangs';
    if (this.segments.bytes + this.queuedBytes + frameBytes > bytesMax) return 'full';
    // The queue is held in memory; more than a segment in it means that the disk does not keep up.
    if (this.queuedBytes > 0 && this.queuedBytes + frameBytes > segmentBytesMax) return 'the disk does not keep up';
    return null;
  }

  private makePending(
    what: Pick<PendingAppend, 'message' | 'appendedAt' | 'frame'>,
    timer: Timer,
    resolve: () => void,
    reject: (error: SpoolFailedError) => void,
  ): PendingAppend {
    this.pendingCount += 1;
    const pending: PendingAppend = {
      ...what,
      isWaiting: true,
      settle: (error) => {
        if (!pending.isWaiting) return;
        pending.isWaiting = false;
        this.pendingCount -= 1;
        timer.cancel();
        if (error === undefined) resolve();
        else reject(error);
      },
    };
    return pending;
  }

  private giveUp(pending: PendingAppend): void {
    this.isHanging = true;
    const error = new SpoolFailedError('the disk did not answer in time');
    this.health.failed('append', error);
    pending.settle(error);
  }

  private async writeGroups(): Promise<void> {
    while (this.queue.length > 0) {
      this.group = this.writeNextGroup();
      await this.group;
      // After each group: under steady load the queue is never empty, and the drain must not wait for that.
      this.onGroupEnd();
    }
    this.group = null;
    this.running = null;
  }

  private async writeNextGroup(): Promise<void> {
    // Callers answered by one group append again in the same turn; without this pause the first goes alone.
    await this.clock.nextTurn();
    const group = this.takeGroup();
    if (group.length > 0) await this.writeGroup(group);
    this.isHanging = false;
  }

  private takeGroup(): PendingAppend[] {
    const group = this.queue.filter((pending) => pending.isWaiting);
    this.queue = [];
    this.queuedBytes = bytesOf(group);
    return group;
  }

  private async writeGroup(group: readonly PendingAppend[]): Promise<void> {
    try {
      const { segment, file } = await this.openFor(group);
      for (const { frame } of group) stampFrame(frame, this.segments.takeSequence());
      await file.append(Buffer.concat(group.map(({ frame }) => frame)));
      await file.sync();
      this.segments.appended(segment, group);
    } catch (cause) {
      const error = new SpoolFailedError('the disk refused', { cause });
      this.health.failed('append', `${error.message} (${String(cause)})`);
      // Answered before the cleaning up, which may hang on the same disk.
      for (const pending of group) pending.settle(error);
      await this.abandonActive();
      return;
    }
    if (group.some((pending) => pending.isWaiting)) this.health.worked('append');
    for (const pending of group) pending.settle();
  }

  private async openFor(group: readonly PendingAppend[]): Promise<{ segment: SpoolSegment; file: DiskFile }> {
    const bytes = bytesOf(group);
    try {
      const used = this.active?.segment.bytes ?? 0;
      if (used + bytes > this.options.segmentBytesMax) await this.sealActive();
      // Set before the file is open, so that the drain does not take the empty segment for a spent one.
      this.active ??= { segment: this.segments.begin(), file: null };
      const { active } = this;
      active.file ??= await this.disk.openAppend(active.segment.path);
      active.segment.bytes += bytes;
      return { segment: active.segment, file: active.file };
    } finally {
      this.queuedBytes -= bytes;
    }
  }

  /** After an error nobody knows what is in the file: later frames must not stand behind a torn one. */
  private async abandonActive(): Promise<void> {
    const segment = this.active?.segment;
    await this.sealActive();
    if (segment === undefined || segment.waitingCount > 0) return;
    // Removed at once when nothing in it counts: on a full disk each append would leave a file.
    this.segments.retire(segment);
    await this.segments.sweep().catch((error: unknown) => this.health.failed('drain', error));
  }

  private async sealActive(): Promise<void> {
    const { active } = this;
    if (active === null) return;
    this.active = null;
    this.segments.seal(active.segment);
    // What counts in it was synced, so a failing close loses nothing.
    await active.file?.close().catch((error: unknown) => this.health.failed('append', error));
  }
}

function bytesOf(group: readonly PendingAppend[]): number {
  return group.reduce((sum, { frame }) => sum + frame.length, 0);
}

import type { Disk } from '../runtime/disk.js';
import { readPayload, scanSegment } from './spool-frame.js';
import type { SpoolLog } from './spool-health.js';
import type { SpooledMessage } from './spool.js';

export interface WaitingFrame {
  readonly appendedAt: number;
  readonly message: SpooledMessage;
}

/** One file of the spool. */
export interface SpoolSegment {
  readonly number: number;
  readonly path: string;
  /** No less than the file's size. After a failed write nobody knows how much of it is in the file. */
  bytes: number;
  /** Durable frames that were not published. */
  waitingCount: number;
  oldestAt: number | null;
  /** The waiting frames, or null while they are on the disk only. At most two segments have them: first and last. */
  waiting: WaitingFrame[] | null;
  isDamaged: boolean;
}

const SEGMENT_NAME = /^(\d{8,15})\.spool$/;
const DAMAGED_NAME = /^(\d{8,15})\.spool\.damaged$/;

/** The files of the spool in their order, and what is known of each. It decides nothing about when. */
export class SpoolSegments {
  depth = 0;
  damagedCount = 0;
  private readonly segments: SpoolSegment[] = [];
  /** Published to their last frame, but still on the disk. */
  private readonly spent: SpoolSegment[] = [];
  private sweeping: Promise<void> | null = null;
  private numberNext = 1;
  private sequenceNext = 1;

  constructor(
    private readonly disk: Disk,
    private readonly folder: string,
    private readonly log: SpoolLog,
  ) {}

  get bytes(): number {
    return [...this.segments, ...this.spent].reduce((sum, segment) => sum + segment.bytes, 0);
  }

  get oldestAt(): number | null {
    return this.segments.find((segment) => segment.waitingCount > 0)?.oldestAt ?? null;
  }

  get isEmpty(): boolean {
    return this.segments.length === 0 && this.spent.length === 0;
  }

  get first(): SpoolSegment | null {
    return this.segments[0] ?? null;
  }

  /** Finds what an earlier process left. Old segments are never appended to, so a mistake here cannot spread. */
  async load(): Promise<void> {
    await this.disk.ensureFolder(this.folder);
    const names = await this.disk.list(this.folder);
    const numbers: number[] = [];
    for (const name of names) {
      const damaged = DAMAGED_NAME.exec(name);
      if (damaged !== null) this.damagedCount += 1;
      const number = Number((damaged ?? SEGMENT_NAME.exec(name))?.[1] ?? 0);
      // A number in use on a damaged file is not used again: setting the new file aside would overwrite the old one.
      this.numberNext = Math.max(this.numberNext, number + 1);
      if (damaged === null && number > 0) numbers.push(number);
    }
    for (const number of numbers.sort((a, b) => a - b)) await this.loadSegment(number);
  }

  begin(): SpoolSegment {
    const segment = this.describe(this.numberNext++);
    segment.waiting = [];
    this.segments.push(segment);
    return segment;
  }

  takeSequence(): number {
    return this.sequenceNext++;
  }

  appended(segment: SpoolSegment, frames: readonly WaitingFrame[]): void {
    segment.waiting?.push(...frames);
    segment.waitingCount += frames.length;
    segment.oldestAt ??= frames[0]?.appendedAt ?? null;
    this.depth += frames.length;
  }

  published(segment: SpoolSegment, count: number): void {
    segment.waiting?.splice(0, count);
    segment.waitingCount -= count;
    segment.oldestAt = segment.waiting?.[0]?.appendedAt ?? null;
    this.depth -= count;
  }

  /** Nothing more will be written to it. The first keeps its frames in memory, since it is the next to be published. */
  seal(segment: SpoolSegment): void {
    if (segment !== this.first) segment.waiting = null;
  }

  /** The waiting frames of a sealed segment, from the disk unless they are in memory. */
  async waitingOf(segment: SpoolSegment): Promise<WaitingFrame[]> {
    if (segment.waiting !== null) return segment.waiting;
    const scan = scanSegment(await this.disk.read(segment.path));
    // Behind the acknowledged frames there may be one whose append was refused; it need not be published.
    const stored = scan.frames.slice(0, segment.waitingCount);
    const waiting: WaitingFrame[] = [];
    for (const { appendedAt, payload } of stored) {
      const message = readPayload(payload);
      if (message !== null) waiting.push({ appendedAt, message });
    }
    const missing = segment.waitingCount - waiting.length;
    if (missing > 0 || (scan.condition === 'damaged' && !segment.isDamaged)) {
      this.markDamaged(segment, { framesMissing: missing });
    }
    this.depth -= missing;
    segment.waitingCount = waiting.length;
    segment.waiting = waiting;
    return waiting;
  }

  /** Takes a segment out of the order; `sweep` takes its file away. Drain and writer may both get there: idempotent. */
  retire(segment: SpoolSegment): void {
    const index = this.segments.indexOf(segment);
    if (index === -1) return;
    this.segments.splice(index, 1);
    segment.waiting = null;
    this.spent.push(segment);
  }

  /** Removes the files of retired segments, or sets them aside when damaged. What fails stays for the next sweep. */
  sweep(): Promise<void> {
    this.sweeping ??= this.sweepAll().finally(() => (this.sweeping = null));
    return this.sweeping;
  }

  private async sweepAll(): Promise<void> {
    for (let segment = this.spent[0]; segment !== undefined; segment = this.spent[0]) {
      if (segment.isDamaged) await this.disk.rename(segment.path, `${segment.path}.damaged`);
      else await this.disk.remove(segment.path);
      this.spent.shift();
    }
  }

  private async loadSegment(number: number): Promise<void> {
    const segment = this.describe(number);
    const content = await this.disk.read(segment.path);
    const { frames, goodBytes, condition } = scanSegment(content);
    segment.bytes = content.length;
    segment.waitingCount = frames.length;
    segment.oldestAt = frames[0]?.appendedAt ?? null;
    this.sequenceNext = Math.max(this.sequenceNext, (frames.at(-1)?.sequence ?? 0) + 1);
    this.depth += frames.length;
    this.segments.push(segment);
    if (condition === 'damaged') {
      this.markDamaged(segment, { framesIntact: frames.length });
    } else if (condition === 'torn') {
      this.log.warn('spool.tail.cut', { segment: segment.path, bytesCut: content.length - goodBytes });
      await this.disk.truncate(segment.path, goodBytes);
      segment.bytes = goodBytes;
    }
  }

  private markDamaged(segment: SpoolSegment, fields: object): void {
    if (!segment.isDamaged) this.damagedCount += 1;
    segment.isDamaged = true;
    this.log.warn('spool.segment.damaged', { segment: segment.path, ...fields });
  }

  private describe(number: number): SpoolSegment {
    const path = `${this.folder}/${String(number).padStart(8, '0')}.spool`;
    return { number, path, bytes: 0, waitingCount: 0, oldestAt: null, waiting: null, isDamaged: false };
  }
}

import type { Clock } from '../runtime/clock.js';
import type { OutgoingMessage } from '../transport/transport.js';
import type { SpoolHealth } from './spool-health.js';
import type { SpoolSegment, SpoolSegments, WaitingFrame } from './spool-segments.js';
import type { SpoolWriter } from './spool-writer.js';

export type PublishSpooled = (topic: string, messages: OutgoingMessage[]) => Promise<void>;

export interface SpoolDrainOptions {
  readonly drainBatchMax: number;
  readonly drainRetryDelayMs: number;
  readonly drainRetryDelayMsMax: number;
}

/** Publishes the waiting frames in their order, one batch at a time, and takes away the files that are done. */
export class SpoolDrain {
  private readonly stopping = new AbortController();
  private running: Promise<void> | null = null;
  /**
   * A batch that a slow transport does not take within its limit counts as failed as a whole, and goes out again as a
   * whole. Were it as large each time, nothing would ever leave, and the transport would drown in copies.
   */
  private batchMax: number;

  constructor(
    private readonly clock: Clock,
    private readonly segments: SpoolSegments,
    private readonly writer: SpoolWriter,
    private readonly health: SpoolHealth,
    private readonly publish: PublishSpooled,
    private readonly options: SpoolDrainOptions,
  ) {
    this.batchMax = options.drainBatchMax;
  }

  wake(): void {
    if (this.running !== null || this.stopping.signal.aborted || this.segments.isEmpty) return;
    this.running = this.run();
  }

  /** Resolves when the step in hand has ended: a publish acknowledged by then is not repeated at the next start. */
  async stop(): Promise<void> {
    this.stopping.abort(new Error('the spool is closing'));
    await this.running;
  }

  private async run(): Promise<void> {
    const { drainRetryDelayMs, drainRetryDelayMsMax } = this.options;
    // The transport was failing a moment ago, or the spool would not have been used.
    await this.pause(drainRetryDelayMs);
    let delayMs = drainRetryDelayMs;
    while (!this.stopping.signal.aborted && !this.segments.isEmpty) {
      try {
        await this.step();
        this.health.worked('drain');
        delayMs = drainRetryDelayMs;
      } catch (error) {
        this.health.failed('drain', error);
        await this.pause(delayMs);
        delayMs = Math.min(delayMs * 2, drainRetryDelayMsMax);
      }
    }
    // The writer sweeps too: what failed here may have been done there.
    if (this.segments.isEmpty) this.health.worked('drain');
    this.running = null;
  }

  private async step(): Promise<void> {
    const segment = this.segments.first;
    if (segment === null) return this.segments.sweep();
    const waiting = await this.segments.waitingOf(segment);
    if (waiting.length > 0) await this.publishBatch(segment, waiting);
    if (segment.waitingCount > 0) return;
    // Its file may get more frames from the write that runs now. Looked at again after it.
    const writing = this.writer.writingTo(segment);
    if (writing !== null) return writing;
    const closing = this.writer.letGo(segment);
    this.segments.retire(segment);
    await closing;
    await this.segments.sweep();
  }

  private async publishBatch(segment: SpoolSegment, waiting: readonly WaitingFrame[]): Promise<void> {
    const batch = nextBatch(waiting, this.batchMax);
    const topic = batch[0]?.message.topic ?? '';
    const messages = batch.map(({ message }) => ({ orderingKey: message.orderingKey, body: message.body }));
    try {
      await this.publish(topic, messages);
    } catch (error) {
      this.batchMax = Math.max(1, Math.floor(batch.length / 2));
      throw error;
    }
    // By a quarter: twice as much each time would fail every other time at a transport that stays slow.
    this.batchMax = Math.min(this.options.drainBatchMax, this.batchMax + Math.ceil(this.batchMax / 4));
    // In the same turn as the acknowledgement: until here new events go behind, from here on none of these waits.
    this.segments.published(segment, batch.length);
  }

  private async pause(ms: number): Promise<void> {
    // Rejects only on `stop`, which the loop sees by itself.
    await this.clock.sleep(ms, this.stopping.signal).catch(() => undefined);
  }
}

/** The longest run of one topic: frames of another topic in between must not be overtaken. */
function nextBatch(waiting: readonly WaitingFrame[], countMax: number): WaitingFrame[] {
  const topic = waiting[0]?.message.topic;
  const otherAt = waiting.findIndex(({ message }) => message.topic !== topic);
  return waiting.slice(0, Math.min(countMax, otherAt === -1 ? waiting.length : otherAt));
}

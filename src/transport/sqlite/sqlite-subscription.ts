import type { Clock, Timer } from '../../runtime/clock.js';
import { LaneTakenAwayError } from '../lane-taken-away-error.js';
import { SettleFailedError } from '../settle-failed-error.js';
import type { ConsumeBatch, SubscribeOptions, Subscription } from '../transport.js';
import type { GroupCommit } from './group-commit.js';
import { KeyLines, type FreedLine, type KeyLine, type TakenId } from './key-lines.js';
import { SqliteDelivery, type DeliveryOwner } from './sqlite-delivery.js';
import type { SqliteQueueFile } from './sqlite-queue-file.js';
import type { Trouble } from '../trouble.js';

// Ids in memory; an id with its key takes about 200 bytes. Bodies are read only when a batch is handed out.
const READ_AHEAD_MAX = 10_000;
// Rows a turn of the event loop: about 3 ms.
const SCAN_ROWS_MAX = 1_000;
const HUNGRY_LINES_PER_TURN_MAX = 100;
// A timer holds no more than 2^31 ms; an earlier redelivery is always allowed.
const COME_BACK_MS_MAX = 24 * 3_600_000;

export interface SubscriptionParts {
  readonly clock: Clock;
  readonly file: SqliteQueueFile;
  readonly writes: GroupCommit;
  readonly readTrouble: Trouble;
  readonly defaultComeBackMs: number;
}

interface BatchInHand {
  readonly lane: AbortController;
  readonly deliveries: SqliteDelivery[];
}

interface SettlingGroup {
  readonly deliveries: SqliteDelivery[];
  readonly done: Promise<void>;
}

/**
 * The only consumer of a topic, so what is in hand lives in memory: after a crash the table still holds all of it.
 * Reads ids ahead, hands out batches, removes what was settled. A key is free for the next batch as soon as all of its
 * messages in the present one are decided, so a slow neighbour in the batch does not hold it.
 */
export class SqliteSubscription implements Subscription, DeliveryOwner {
  private readonly lines: KeyLines;
  private readonly readAheadMax: number;
  private readonly inHand = new Set<BatchInHand>();
  private readonly timers = new Set<Timer>();
  private settling: SettlingGroup | null = null;
  private scannedTo = 0;
  private isCaughtUp = false;
  private isPumpDue = false;
  private isTurnDue = false;
  private retry: Timer | null = null;
  private isStopping = false;
  private stopped: Promise<void> | null = null;
  private onBatchesGone: () => void = () => undefined;

  constructor(
    private readonly parts: SubscriptionParts,
    private readonly options: SubscribeOptions,
    private readonly consume: ConsumeBatch,
  ) {
    this.lines = new KeyLines(options.batchSizeMax);
    // The window must be able to hold what is in hand and what follows it.
    this.readAheadMax = Math.max(READ_AHEAD_MAX, 2 * options.lanes * options.batchSizeMax);
  }

  /** Something was published to the topic. */
  wake(): void {
    this.isCaughtUp = false;
    this.schedulePump();
  }

  stop(limitMs: number): Promise<void> {
    this.stopped ??= this.stopWithin(limitMs);
    return this.stopped;
  }

  settle(delivery: SqliteDelivery): Promise<void> {
    this.settling ??= this.createSettlingGroup();
    this.settling.deliveries.push(delivery);
    return this.settling.done;
  }

  comeBack(delivery: SqliteDelivery, delayMs: number): void {
    const now = this.parts.clock.monotonic();
    const notBefore = now + Math.min(Math.max(delayMs, 0), COME_BACK_MS_MAX);
    this.lineFreed(delivery.line, this.lines.back(delivery.line, delivery.seq, notBefore, now));
  }

  private schedulePump(): void {
    if (this.isPumpDue) return;
    this.isPumpDue = true;
    // Many publishes and settles of one commit end together: one pump serves them all.
    queueMicrotask(() => {
      this.isPumpDue = false;
      this.pump();
    });
  }

  private pump(): void {
    if (this.isStopping) return;
    try {
      this.fillHungryLines();
      const window = this.readAhead();
      this.handOut();
      this.parts.readTrouble.worked();
      // A full window is not asked again: what frees it pumps by itself, and asking each turn would spin.
      const isMoreWanted = !this.isCaughtUp && window !== 'full' && this.inHand.size < this.options.lanes;
      if (isMoreWanted || this.lines.hungryCount > 0) this.pumpNextTurn();
    } catch (error) {
      this.parts.readTrouble.failed(error);
      this.retry ??= this.later(this.parts.defaultComeBackMs, () => {
        this.retry = null;
        this.schedulePump();
      });
    }
  }

  /** A long backlog is read in many turns, so that it does not hold up everything else in this process. */
  private pumpNextTurn(): void {
    if (this.isTurnDue) return;
    this.isTurnDue = true;
    void this.parts.clock.nextTurn().then(() => {
      this.isTurnDue = false;
      this.pump();
    });
  }

  private fillHungryLines(): void {
    for (const line of this.lines.hungryLines(HUNGRY_LINES_PER_TURN_MAX)) {
      const room = Math.max(1, Math.min(this.options.batchSizeMax, this.readAheadMax - this.lines.size));
      const seqs = this.parts.file.scanKey(this.options.topic, line.orderingKey, line.highestSeq, room);
      this.lines.fill(line, seqs, seqs.length === room);
    }
  }

  private readAhead(): 'enough' | 'full' | 'read' {
    if (this.isCaughtUp || this.lines.readyCount >= this.options.batchSizeMax) return 'enough';
    if (this.lines.size >= this.readAheadMax) {
      if (this.lines.readyCount > 0) return 'enough';
      // Full of messages that cannot go: one of each key is enough to know which keys are stuck.
      this.lines.trim();
      if (this.lines.size >= this.readAheadMax) return 'full';
    }
    const rows = this.parts.file.scan(this.scannedTo, SCAN_ROWS_MAX);
    for (const row of rows) if (row.topic === this.options.topic) this.lines.offer(row.seq, row.orderingKey);
    this.scannedTo = rows.at(-1)?.seq ?? this.scannedTo;
    this.isCaughtUp = rows.length < SCAN_ROWS_MAX;
    return 'read';
  }

  private handOut(): void {
    while (this.inHand.size < this.options.lanes) {
      const taken = this.lines.take(this.options.batchSizeMax, this.parts.clock.monotonic());
      if (taken.length === 0) return;
      const batch = this.createBatch(taken);
      if (batch.deliveries.length > 0) void this.run(batch);
    }
  }

  private createBatch(taken: readonly TakenId[]): BatchInHand {
    const batch: BatchInHand = { lane: new AbortController(), deliveries: [] };
    try {
      const bodies = taken.map(({ seq }) => this.parts.file.body(seq));
      taken.forEach(({ line, seq }, index) => {
        const body = bodies[index];
        // Somebody else removed the row: nothing is left to deliver.
        if (body === undefined) this.lineFreed(line, this.lines.settled(line, this.parts.clock.monotonic()));
        else batch.deliveries.push(new SqliteDelivery(this, batch.lane, this.options.topic, line, seq, body));
      });
      return batch;
    } catch (error) {
      const now = this.parts.clock.monotonic();
      const notBefore = now + this.parts.defaultComeBackMs;
      for (const { line, seq } of taken) this.lineFreed(line, this.lines.back(line, seq, notBefore, now));
      throw error;
    }
  }

  private async run(batch: BatchInHand): Promise<void> {
    this.inHand.add(batch);
    try {
      await this.consume(batch.deliveries);
    } catch {
      // The consumer's own layer reports what went wrong. Here it only means that nothing more is settled.
    }
    this.inHand.delete(batch);
    this.takeLane(batch);
    if (this.inHand.size === 0) this.onBatchesGone();
    this.schedulePump();
  }

  /** What the consumer has not decided comes back by itself, and can no longer be settled from this batch. */
  private takeLane(batch: BatchInHand): void {
    const left = batch.deliveries.filter((delivery) => delivery.state === 'undecided');
    for (const delivery of left) {
      delivery.state = 'taken';
      this.comeBack(delivery, this.parts.defaultComeBackMs);
    }
    if (left.length > 0) batch.lane.abort(new LaneTakenAwayError(left[0]!.position));
  }

  private createSettlingGroup(): SettlingGroup {
    const deliveries: SqliteDelivery[] = [];
    const write = (): void => {
      this.settling = null;
      this.parts.file.remove(
        this.options.topic,
        deliveries.map(({ seq }) => seq),
      );
    };
    const done = this.parts.writes.add(write, 1, Number.POSITIVE_INFINITY).then(
      () => this.settled(deliveries),
      (error: unknown) => this.settleFailed(deliveries, error),
    );
    // Each caller gets this promise and its rejection; one that does not wait for it must not end the process.
    done.catch(() => undefined);
    return { deliveries, done };
  }

  private settled(deliveries: readonly SqliteDelivery[]): void {
    const now = this.parts.clock.monotonic();
    for (const delivery of deliveries) {
      delivery.state = 'decided';
      this.lineFreed(delivery.line, this.lines.settled(delivery.line, now));
    }
    this.schedulePump();
  }

  private settleFailed(deliveries: readonly SqliteDelivery[], error: unknown): never {
    if (this.settling?.deliveries === deliveries) this.settling = null;
    for (const delivery of deliveries) {
      delivery.state = 'decided';
      this.comeBack(delivery, this.parts.defaultComeBackMs);
    }
    throw new SettleFailedError(this.options.topic, { cause: error });
  }

  private lineFreed(line: KeyLine, freed: FreedLine): void {
    if (freed.kind === 'held') return;
    if (freed.kind === 'free') return this.schedulePump();
    this.later(freed.until - this.parts.clock.monotonic(), () => {
      this.lines.unblock(line);
      this.schedulePump();
    });
  }

  private later(delayMs: number, task: () => void): Timer | null {
    if (this.isStopping) return null;
    const timer = this.parts.clock.after(delayMs, () => {
      this.timers.delete(timer);
      task();
    });
    this.timers.add(timer);
    return timer;
  }

  private async stopWithin(limitMs: number): Promise<void> {
    this.isStopping = true;
    for (const timer of this.timers) timer.cancel();
    this.timers.clear();
    if (this.inHand.size > 0 && limitMs > 0) await this.batchesGone(limitMs);
    for (const batch of this.inHand) this.takeLane(batch);
    // What was settled before the limit is written before anybody else reads the topic.
    await this.parts.writes.idle();
  }

  private batchesGone(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.parts.clock.after(limitMs, resolve);
      this.onBatchesGone = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

import type { Clock, Timer } from '../../runtime/clock.js';
import { LaneTakenAwayError } from '../lane-taken-away-error.js';
import type { ConsumeBatch, SubscribeOptions, Subscription } from '../transport.js';
import type { Trouble } from '../trouble.js';
import { ConsumerSession, type SessionOwner } from './consumer-session.js';
import { HeldLines, type HeldLine, type LineChange, type TakenRecord } from './held-lines.js';
import type { ClientRecord, ClientSettings, KafkaClient, PartitionOffset } from './kafka-client.js';
import { KafkaDelivery, type DeliveryOwner, type KafkaRecord } from './kafka-delivery.js';
import { PartitionWindow, type WindowLimits } from './partition-window.js';

export interface SubscriptionParts {
  readonly client: KafkaClient;
  readonly clock: Clock;
  readonly trouble: Trouble;
  readonly settings: ClientSettings;
  /** When a message comes back that its consumer neither settled nor gave back. */
  readonly defaultComeBackMs: number;
  /** How long work in hand may go on when its partition is to move to another worker. */
  readonly revokeLimitMs: number;
}

interface BatchInHand {
  /** One a partition: each can be taken away without the others. */
  readonly lanes: Map<number, AbortController>;
  readonly deliveries: KafkaDelivery[];
}

const HELD_RECORDS_MIN = 1_000;
const HELD_BYTES_MAX = 8_388_608;
const SPAN_MAX = 10_000;
// A crash brings again what was settled in the last moment; a commit costs the broker a write.
const COMMIT_EVERY_MS = 100;
const COMMIT_AGAIN_AFTER_MS = 1_000;
// A timer holds no more than 2^31 ms; an earlier redelivery is always allowed.
const COME_BACK_MS_MAX = 24 * 3_600_000;

/**
 * One consumer group's view of a topic, in this process. Records wait in memory in one line a key; a batch takes from
 * any of them. What may be committed is the tracker's to say, partition by partition.
 */
export class KafkaSubscription implements Subscription, DeliveryOwner, SessionOwner {
  private readonly session: ConsumerSession;
  private readonly lines = new HeldLines<KafkaRecord>();
  private readonly windows = new Map<number, PartitionWindow>();
  private readonly limits: WindowLimits;
  private readonly inHand = new Set<BatchInHand>();
  private readonly timers = new Set<Timer>();
  private readonly waiters = new Set<() => void>();
  private commitTimer: Timer | null = null;
  private isPumpDue = false;
  private isStopping = false;
  private stopped: Promise<void> | null = null;

  constructor(
    private readonly parts: SubscriptionParts,
    private readonly options: SubscribeOptions,
    private readonly consume: ConsumeBatch,
  ) {
    const { client, clock, settings } = parts;
    const { topic, lanes, batchSizeMax } = options;
    this.limits = {
      // Room for what is in hand and for what follows it.
      records: Math.max(HELD_RECORDS_MIN, 2 * lanes * batchSizeMax),
      bytes: HELD_BYTES_MAX,
      span: Math.max(SPAN_MAX, 4 * lanes * batchSizeMax),
    };
    this.session = new ConsumerSession(client, clock, this, { topic, settings });
  }

  start(reachable: Promise<void>): void {
    this.session.start(reachable);
  }

  stop(limitMs: number): Promise<void> {
    this.stopped ??= this.stopWithin(limitMs);
    return this.stopped;
  }

  // Of its deliveries.

  settle(delivery: KafkaDelivery): void {
    const { record } = delivery.taken;
    this.windows.get(record.partition)?.tracker.settled(record.offset);
    this.lineChanged(delivery.taken.line, this.lines.settled(delivery.taken, this.now()));
    this.decided();
  }

  comeBack(delivery: KafkaDelivery, delayMs: number): void {
    const notBefore = this.now() + Math.min(Math.max(delayMs, 0), COME_BACK_MS_MAX);
    this.lineChanged(delivery.taken.line, this.lines.back(delivery.taken, notBefore, this.now()));
    this.decided();
  }

  // Of its session.

  assigned(partitions: readonly number[]): void {
    for (const partition of partitions) this.windows.set(partition, new PartitionWindow(this.limits));
    this.parts.trouble.worked();
  }

  async revoked(partitions: readonly number[]): Promise<readonly PartitionOffset[]> {
    for (const partition of partitions) {
      const window = this.windows.get(partition);
      if (window) window.isDraining = true;
    }
    await this.undecidedGone(this.parts.revokeLimitMs, (partition) => partitions.includes(partition));
    const offsets = this.committable(partitions);
    this.lost(partitions);
    return offsets;
  }

  /** An empty list means all of them: the session has ended. */
  lost(partitions: readonly number[]): void {
    const gone = partitions.length > 0 ? partitions : [...this.windows.keys()];
    for (const partition of gone) {
      this.windows.delete(partition);
      this.lines.drop(partition);
    }
    for (const batch of this.inHand) this.takeLanes(batch, (partition) => gone.includes(partition));
    this.schedulePump();
  }

  received(records: readonly ClientRecord[]): void {
    this.parts.trouble.worked();
    if (this.isStopping) return;
    const touched = new Set<number>();
    for (const { partition, offset, key, value, size } of records) {
      if (this.windows.get(partition)?.tracker.received(offset) !== true) continue;
      // Compared as bytes: two keys that are no text must not become one. Without a key nothing orders it.
      const line = key === null ? `@${offset}` : `=${key.toString('latin1')}`;
      this.lines.add({ partition, offset, line, bytes: size + (key?.length ?? 0), key, value });
      touched.add(partition);
    }
    for (const partition of touched) this.balance(partition);
    this.schedulePump();
  }

  committed(offsets: readonly PartitionOffset[]): void {
    for (const { partition, offset } of offsets) this.windows.get(partition)?.tracker.committed(offset);
    this.commitSoon(COMMIT_EVERY_MS);
  }

  /** Nothing is lost by it. A rebalance may be under way, in which the offsets are no longer ours to commit. */
  commitFailed(_error: Error): void {
    this.commitSoon(COMMIT_AGAIN_AFTER_MS);
  }

  failed(error: unknown): void {
    this.parts.trouble.failed(error);
  }

  private now(): number {
    return this.parts.clock.monotonic();
  }

  private decided(): void {
    this.commitSoon(COMMIT_EVERY_MS);
    for (const waiter of this.waiters) waiter();
  }

  private schedulePump(): void {
    if (this.isPumpDue) return;
    this.isPumpDue = true;
    // Many settles of one batch come together: one pump serves them all.
    queueMicrotask(() => {
      this.isPumpDue = false;
      this.pump();
    });
  }

  private pump(): void {
    if (this.isStopping) return;
    const isTakeable = (partition: number): boolean => this.windows.get(partition)?.isDraining === false;
    while (this.inHand.size < this.options.lanes) {
      const taken = this.lines.take(this.options.batchSizeMax, this.now(), isTakeable);
      if (taken.length === 0) break;
      void this.run(this.createBatch(taken));
    }
    for (const partition of this.windows.keys()) this.balance(partition);
  }

  private createBatch(taken: readonly TakenRecord<KafkaRecord>[]): BatchInHand {
    const batch: BatchInHand = { lanes: new Map(), deliveries: [] };
    for (const one of taken) {
      const { partition } = one.record;
      const lane = batch.lanes.get(partition) ?? new AbortController();
      batch.lanes.set(partition, lane);
      batch.deliveries.push(new KafkaDelivery(this, this.options.topic, one, lane));
    }
    return batch;
  }

  private async run(batch: BatchInHand): Promise<void> {
    this.inHand.add(batch);
    try {
      await this.consume(batch.deliveries);
    } catch {
      // The consumer's own layer reports what went wrong. Here it only means that nothing more is settled.
    }
    this.inHand.delete(batch);
    this.takeLanes(batch, () => true);
    for (const waiter of this.waiters) waiter();
    this.schedulePump();
  }

  /** What the consumer has not decided comes back by itself, here or elsewhere, and can no longer be settled from here. */
  private takeLanes(batch: BatchInHand, isTaken: (partition: number) => boolean): void {
    for (const delivery of batch.deliveries) {
      if (delivery.state !== 'undecided' || !isTaken(delivery.partition)) continue;
      delivery.state = 'taken';
      this.comeBack(delivery, this.parts.defaultComeBackMs);
      delivery.lane.abort(new LaneTakenAwayError(delivery.position));
    }
  }

  private lineChanged(line: HeldLine<KafkaRecord>, change: LineChange): void {
    if (change.kind === 'held') return;
    if (change.kind === 'free') return this.schedulePump();
    if (this.isStopping) return;
    const timer = this.parts.clock.after(change.until - this.now(), () => {
      this.timers.delete(timer);
      this.lines.unblock(line);
      this.schedulePump();
    });
    this.timers.add(timer);
  }

  private balance(partition: number): void {
    const change = this.windows.get(partition)?.balance(this.lines.amount(partition)) ?? 'none';
    if (change === 'pause') this.session.pause(partition);
    if (change === 'resume') this.session.resume(partition);
  }

  private commitSoon(delayMs: number): void {
    if (this.isStopping || this.commitTimer !== null) return;
    this.commitTimer = this.parts.clock.after(delayMs, () => {
      this.commitTimer = null;
      const offsets = this.committable([...this.windows.keys()]);
      if (offsets.length > 0) this.session.commit(offsets);
    });
  }

  private committable(partitions: readonly number[]): PartitionOffset[] {
    const { topic } = this.options;
    return partitions.flatMap((partition) => {
      const offset = this.windows.get(partition)?.tracker.committable() ?? null;
      return offset === null ? [] : [{ topic, partition, offset }];
    });
  }

  private async stopWithin(limitMs: number): Promise<void> {
    this.isStopping = true;
    this.commitTimer?.cancel();
    for (const timer of this.timers) timer.cancel();
    this.timers.clear();
    await this.batchesGone(limitMs);
    for (const batch of this.inHand) this.takeLanes(batch, () => true);
    await this.session.end(() => this.committable([...this.windows.keys()]));
  }

  private undecidedGone(limitMs: number, isMeant: (partition: number) => boolean): Promise<void> {
    const isGone = (): boolean =>
      ![...this.inHand].some(({ deliveries }) =>
        deliveries.some(({ state, partition }) => state === 'undecided' && isMeant(partition)),
      );
    return this.waitFor(isGone, limitMs);
  }

  private batchesGone(limitMs: number): Promise<void> {
    return this.waitFor(() => this.inHand.size === 0, limitMs);
  }

  /** Looks again whenever a delivery is decided or a batch returns. */
  private waitFor(isSo: () => boolean, limitMs: number): Promise<void> {
    if (isSo() || limitMs <= 0) return Promise.resolve();
    return new Promise((resolve) => {
      const end = (): void => {
        timer.cancel();
        this.waiters.delete(look);
        resolve();
      };
      const look = (): void => {
        if (isSo()) end();
      };
      const timer = this.parts.clock.after(limitMs, end);
      this.waiters.add(look);
    });
  }
}

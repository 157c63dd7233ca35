import type { Clock, Timer } from '../../runtime/clock.js';
import { within } from '../../runtime/within.js';
import { connectUntil, unlessAborted } from './connect.js';
import type {
  ClientError,
  ClientRecord,
  ClientSettings,
  KafkaClient,
  NativeConsumer,
  PartitionName,
  PartitionOffset,
} from './kafka-client.js';

/** What happens to the subscription that a session serves. Nothing here may throw. */
export interface SessionOwner {
  assigned(partitions: readonly number[]): void;
  /** Resolves with what to commit when the work in hand of these partitions has ended, at the latest after its limit. */
  revoked(partitions: readonly number[]): Promise<readonly PartitionOffset[]>;
  /** They are somebody else's already: nothing that is done here counts any more. */
  lost(partitions: readonly number[]): void;
  received(records: readonly ClientRecord[]): void;
  committed(offsets: readonly PartitionOffset[]): void;
  commitFailed(error: Error): void;
  failed(error: unknown): void;
}

export interface SessionOptions {
  readonly topic: string;
  readonly settings: ClientSettings;
}

interface Rebalance {
  readonly kind: 'assign' | 'revoke' | 'lost';
  readonly partitions: readonly PartitionName[];
}

// Records a poll: about a millisecond of this thread.
const POLL_RECORDS_MAX = 500;
// The client says when there is something to poll for; this only bounds what a word that got lost can cost.
const POLL_EVERY_MS = 500;
const AFTER_ERROR_MS = 200;
const COMMIT_LIMIT_MS = 2_000;
const LEAVE_LIMIT_MS = 3_000;

/**
 * Membership of one consumer group: polls, and moves partitions in and out. Polls and rebalances take turns, so that no
 * record of a partition comes after the partition has gone: the client tells of a rebalance by another way than that of
 * its records, and would otherwise overtake them.
 */
export class ConsumerSession {
  private native: NativeConsumer | null = null;
  private readonly rebalances: Rebalance[] = [];
  private readonly ending = new AbortController();
  private ended: Promise<void> = Promise.resolve();
  private isWoken = false;
  private wakeUp: () => void = () => undefined;

  constructor(
    private readonly client: KafkaClient,
    private readonly clock: Clock,
    private readonly owner: SessionOwner,
    private readonly options: SessionOptions,
  ) {}

  /** `reachable` resolves when a broker can be reached: trying before holds a thread of the pool for nothing. */
  start(reachable: Promise<void>): void {
    this.ended = unlessAborted(this.ending.signal, reachable)
      .then(() => this.run())
      .catch((error: unknown) => {
        if (!this.ending.signal.aborted) this.owner.failed(error);
      });
  }

  pause(partition: number): void {
    this.tell((native) => native.pause([this.nameOf(partition)]));
  }

  resume(partition: number): void {
    this.tell((native) => native.resume([this.nameOf(partition)]));
  }

  /** Asynchronous: `committed` or `commitFailed` of the owner tells how it went. */
  commit(offsets: readonly PartitionOffset[]): void {
    this.tell((native) => native.commit(offsets));
  }

  /** Polls no more, commits what `finalOffsets` says and leaves the group, so that others need not wait for a time-out. */
  async end(finalOffsets: () => readonly PartitionOffset[]): Promise<void> {
    this.ending.abort(new Error('the subscription has ended'));
    this.wake();
    await this.ended;
    const { native } = this;
    if (native === null) return;
    await this.commitNow(native, finalOffsets());
    this.native = null;
    // The client waits for the answer to each rebalance that it has told of, also while it leaves.
    if (this.rebalances.length > 0) native.unassign();
    const gone = new Promise<void>((resolve) => native.disconnect(resolve));
    // A broker that hangs would hold it up; the client goes on alone, and the group finds out by time-out.
    await within(this.clock, LEAVE_LIMIT_MS, 'leaving the group', gone).catch(() => undefined);
  }

  private async run(): Promise<void> {
    const { signal } = this.ending;
    while (!signal.aborted) {
      const native = await connectUntil(this.clock, signal, {
        create: () => this.create(),
        failed: (error) => this.owner.failed(error),
        dispose: discard,
      });
      this.native = native;
      // Zero: never holds a thread for longer than it takes to hand over what is there.
      native.setDefaultConsumeTimeout(0);
      native.setDefaultIsTimeoutOnlyForFirstMessage(true);
      native.subscribe([this.options.topic]);
      if ((await this.pollUntilFatal(native)) === 'ended') return;
      this.native = null;
      this.owner.lost([]);
      discard(native);
    }
  }

  private async pollUntilFatal(native: NativeConsumer): Promise<'ended' | 'fatal'> {
    while (!this.ending.signal.aborted) {
      this.isWoken = false;
      const polled = await poll(native);
      if (polled.error !== null) {
        this.owner.failed(polled.error);
        if (polled.error.code === this.client.CODES.ERRORS['ERR__FATAL']) return 'fatal';
      }
      if (polled.records.length > 0) this.owner.received(polled.records);
      for (let next = this.rebalances.shift(); next; next = this.rebalances.shift()) await this.rebalance(native, next);
      if (polled.records.length === 0) await this.woken(polled.error === null ? POLL_EVERY_MS : AFTER_ERROR_MS);
    }
    return 'ended';
  }

  private create(): NativeConsumer {
    const native: NativeConsumer = new this.client.KafkaConsumer({
      ...this.options.settings,
      rebalance_cb: (error: ClientError, partitions: readonly PartitionName[]) =>
        this.noteRebalance(native, error, partitions),
      offset_commit_cb: (error: ClientError | null, offsets: readonly PartitionOffset[]) =>
        error ? this.owner.commitFailed(error) : this.owner.committed(offsets),
      queue_non_empty_cb: () => this.wake(),
    });
    return native;
  }

  private noteRebalance(native: NativeConsumer, error: ClientError, partitions: readonly PartitionName[]): void {
    const isAssign = error.code === this.client.CODES.ERRORS['ERR__ASSIGN_PARTITIONS'];
    if (native !== this.native) {
      // It is leaving: nobody waits for its turn any more, and the client waits for this answer.
      if (!isAssign) unassign(native, partitions);
      return;
    }
    const kind = isAssign ? 'assign' : native.assignmentLost() ? 'lost' : 'revoke';
    this.rebalances.push({ kind, partitions });
    this.wake();
  }

  private async rebalance(native: NativeConsumer, { kind, partitions }: Rebalance): Promise<void> {
    const numbers = partitions.map(({ partition }) => partition);
    try {
      if (kind === 'assign') {
        this.owner.assigned(numbers);
        native.incrementalAssign(partitions);
        return;
      }
      if (kind === 'lost') this.owner.lost(numbers);
      else await this.commitNow(native, await this.owner.revoked(numbers));
      unassign(native, partitions);
    } catch (error) {
      this.owner.failed(error);
    }
  }

  private async commitNow(native: NativeConsumer, offsets: readonly PartitionOffset[]): Promise<void> {
    if (offsets.length === 0) return;
    const answered = new Promise<void>((resolve, reject) => {
      native.commitCb(offsets, (error) => (error ? reject(error) : resolve()));
    });
    // What is not committed comes again to the next owner; no reason to keep it waiting.
    await within(this.clock, COMMIT_LIMIT_MS, 'the last commit', answered).catch((error: unknown) =>
      this.owner.commitFailed(error as Error),
    );
  }

  private wake(): void {
    this.isWoken = true;
    this.wakeUp();
  }

  private woken(limitMs: number): Promise<void> {
    if (this.isWoken || this.ending.signal.aborted) return Promise.resolve();
    return new Promise((resolve) => {
      const timer: Timer = this.clock.after(limitMs, resolve);
      this.wakeUp = () => {
        timer.cancel();
        resolve();
      };
    });
  }

  private tell(order: (native: NativeConsumer) => unknown): void {
    if (this.native === null) return;
    try {
      order(this.native);
    } catch (error) {
      this.owner.failed(error);
    }
  }

  private nameOf(partition: number): PartitionName {
    return { topic: this.options.topic, partition };
  }
}

function poll(
  native: NativeConsumer,
): Promise<{ readonly error: ClientError | null; readonly records: readonly ClientRecord[] }> {
  return new Promise((resolve) => {
    native.consume(POLL_RECORDS_MAX, (error, records) => resolve({ error: error ?? null, records: records ?? [] }));
  });
}

function unassign(native: NativeConsumer, partitions: readonly PartitionName[]): void {
  try {
    native.incrementalUnassign(partitions);
  } catch {
    // After a fatal error or a lost session the client has no increments any more; all of it goes.
    native.unassign();
  }
}

function discard(native: NativeConsumer): void {
  try {
    native.disconnect(() => undefined);
  } catch {
    // It was never connected, and there is nothing to let go of.
  }
}

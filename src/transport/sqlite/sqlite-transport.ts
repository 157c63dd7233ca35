import type { Clock, Timer } from '../../runtime/clock.js';
import { SubscriptionRefusedError } from '../subscription-refused-error.js';
import {
  PublishFailedError,
  Transport,
  type Backlog,
  type ConsumeBatch,
  type OutgoingMessage,
  type SubscribeOptions,
  type Subscription,
} from '../transport.js';
import { GroupCommit } from './group-commit.js';
import { SqliteQueueFile, type OpenDatabase } from './sqlite-queue-file.js';
import { SqliteSubscription } from './sqlite-subscription.js';
import { Trouble } from '../trouble.js';

/** Messages that nobody takes: as a rule their topic had its name in the settings and was renamed. */
export interface StrandedTopic {
  readonly topic: string;
  readonly count: number;
}

export interface SqliteTransportOptions {
  /** The queue's own file, never the business database: SQLite has one writer a file. Its folder must exist. */
  readonly path: string;
  /** A publish that could not be written within this time is refused. */
  readonly publishTimeoutMs?: number;
  /** Rows that share one transaction. */
  readonly groupCommitMax: number;
  /** When a message comes back that its consumer neither settled nor gave back. */
  readonly defaultComeBackMs: number;
  /**
   * Set when other processes publish into the same file: how often to look for their messages. Without it this process
   * owns the file and is woken by its own publishes only. At most one process consumes either way.
   */
  readonly pollEveryMs?: number;
  /** Tests pass their own, to make the database fail. */
  readonly openDatabase?: OpenDatabase;
}

const PUBLISH_TIMEOUT_MS = 1_000;
// At 1 KB a message this is 100 MB of memory.
const WAITING_MESSAGES_MAX = 100_000;

interface Opened {
  readonly file: SqliteQueueFile;
  readonly writes: GroupCommit;
}

/**
 * The embedded queue: one table in one file, for a gateway and a worker on one machine without a broker.
 *
 * Settled means deleted, so a topic has one group and one subscription; a second one is refused (it would need an
 * offset a group, as Kafka keeps). SQLite is synchronous: a disk that hangs hangs the process, and no limit here helps.
 */
export class SqliteTransport extends Transport {
  private opened: Opened | null = null;
  private readonly subscriptions = new Map<string, SqliteSubscription>();
  private readonly groups = new Map<string, string>();
  private readonly writeTrouble: Trouble;
  private readonly readTrouble: Trouble;
  private poll: Timer | null = null;
  private closing: Promise<void> | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly options: SqliteTransportOptions,
  ) {
    super();
    this.writeTrouble = new Trouble(clock, () => this.probeWriting());
    this.readTrouble = new Trouble(clock, () => this.probeReading());
  }

  /** Opens or creates the file. Called once, before anything else; throws `QueueFileInUseError`. */
  open(): void {
    const { path, pollEveryMs, groupCommitMax, openDatabase } = this.options;
    const isShared = pollEveryMs !== undefined;
    const file = SqliteQueueFile.open({ path, shared: isShared, busyTimeoutMs: this.publishTimeoutMs, openDatabase });
    const writes = new GroupCommit(this.clock, (work) => file.transaction(work), this.writeTrouble, {
      groupCommitMax,
      waitingMax: WAITING_MESSAGES_MAX,
    });
    this.opened = { file, writes };
    if (isShared) this.poll = this.startPolling(file, pollEveryMs);
  }

  override async publish(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
    if (messages.length === 0) return;
    const publishedAt = this.clock.now();
    try {
      const { file, writes } = this.parts();
      const write = (): void => {
        for (const { orderingKey, body } of messages) file.append(topic, orderingKey, body, publishedAt);
      };
      await writes.add(write, messages.length, this.publishTimeoutMs);
    } catch (cause) {
      throw new PublishFailedError(topic, { cause });
    }
    this.subscriptions.get(topic)?.wake();
  }

  override async subscribe(options: SubscribeOptions, consume: ConsumeBatch): Promise<Subscription> {
    const { topic, group, lanes, batchSizeMax } = options;
    const { file, writes } = this.parts();
    const refuse = (reason: string): never => {
      throw new SubscriptionRefusedError(topic, group, reason);
    };
    if (!(lanes >= 1 && batchSizeMax >= 1)) refuse('lanes and batchSizeMax must be at least 1');
    const firstGroup = this.groups.get(topic) ?? group;
    if (firstGroup !== group) refuse(`the SQLite transport has one group a topic, and ${firstGroup} has this one`);
    if (this.subscriptions.has(topic)) refuse('it has a subscription already; ask for more lanes instead');
    file.lockForConsuming();
    this.groups.set(topic, group);
    const subscription = new SqliteSubscription(
      {
        clock: this.clock,
        file,
        writes,
        readTrouble: this.readTrouble,
        defaultComeBackMs: this.options.defaultComeBackMs,
      },
      options,
      consume,
    );
    this.subscriptions.set(topic, subscription);
    subscription.wake();
    return { stop: (limitMs) => this.stop(topic, subscription, limitMs) };
  }

  override async backlog(topic: string, _group: string): Promise<Backlog> {
    try {
      return { unsettled: this.parts().file.count(topic) };
    } catch (error) {
      this.readTrouble.failed(error);
      return { unsettled: null };
    }
  }

  override trouble(): { since: number; reason: string } | null {
    return this.writeTrouble.state() ?? this.readTrouble.state();
  }

  /**
   * Topics that hold messages, have had no subscription in this process and are not `served`: those that are going to
   * have one, or have it in another process. Answers at once and never throws; empty while the file cannot be read.
   */
  stranded(served: readonly string[]): StrandedTopic[] {
    try {
      const { file } = this.parts();
      const topics = file.topics().filter((topic) => !served.includes(topic) && !this.groups.has(topic));
      return topics.map((topic) => ({ topic, count: file.count(topic) }));
    } catch (error) {
      this.readTrouble.failed(error);
      return [];
    }
  }

  override close(): Promise<void> {
    this.closing ??= this.closeOnce();
    return this.closing;
  }

  private get publishTimeoutMs(): number {
    return this.options.publishTimeoutMs ?? PUBLISH_TIMEOUT_MS;
  }

  private parts(): Opened {
    if (this.opened === null || this.closing !== null) throw new Error('the SQLite transport is not open');
    return this.opened;
  }

  /** Through the group commit, which reports how it went as it does for any write. */
  private probeWriting(): void {
    const { file, writes } = this.parts();
    void writes.add(() => file.probe(), 1, this.publishTimeoutMs).catch(() => undefined);
  }

  private probeReading(): void {
    // A subscription reads what it needs and reports by itself: one look elsewhere must not speak for it.
    if (this.subscriptions.size > 0) {
      for (const subscription of this.subscriptions.values()) subscription.wake();
      return;
    }
    try {
      this.parts().file.scan(0, 1);
      this.readTrouble.worked();
    } catch (error) {
      this.readTrouble.failed(error);
    }
  }

  private startPolling(file: SqliteQueueFile, everyMs: number): Timer {
    let seen: number | null = null;
    return this.clock.every(everyMs, () => {
      try {
        const version = file.dataVersion();
        if (version === seen) return;
        seen = version;
        for (const subscription of this.subscriptions.values()) subscription.wake();
      } catch (error) {
        this.readTrouble.failed(error);
      }
    });
  }

  private async stop(topic: string, subscription: SqliteSubscription, limitMs: number): Promise<void> {
    await subscription.stop(limitMs);
    if (this.subscriptions.get(topic) === subscription) this.subscriptions.delete(topic);
  }

  /** Who wants to give batches in hand time to end stops the subscriptions before, with a limit. */
  private async closeOnce(): Promise<void> {
    this.poll?.cancel();
    // First, so that the last writes leave no timer behind when they fail.
    this.writeTrouble.close();
    this.readTrouble.close();
    await Promise.all([...this.subscriptions].map(([topic, subscription]) => this.stop(topic, subscription, 0)));
    await this.opened?.writes.idle();
    this.opened?.file.close();
  }
}

import type { Clock } from '../../runtime/clock.js';
import type { Trouble } from '../trouble.js';

interface WaitingWrite {
  readonly write: () => void;
  readonly weight: number;
  /** On the monotonic clock. */
  readonly deadline: number;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

export interface GroupCommitOptions {
  /** Rows a transaction, more or less: a write that is larger by itself is never divided. */
  readonly groupCommitMax: number;
  /** Rows that may wait for their transaction. Beyond it a write is refused at once. */
  readonly waitingMax: number;
}

/**
 * Puts all writes of one turn of the event loop into one transaction, since the sync to disk costs as much for one row
 * as for two hundred. Writes run in the order in which they came.
 */
export class GroupCommit {
  private waiting: WaitingWrite[] = [];
  private waitingWeight = 0;
  private flushing: Promise<void> | null = null;

  constructor(
    private readonly clock: Clock,
    private readonly transaction: (work: () => void) => void,
    private readonly trouble: Trouble,
    private readonly options: GroupCommitOptions,
  ) {}

  /**
   * Runs `write` inside a transaction; resolves once it is committed. Rejects with the database's error when the
   * outcome is unknown, and without having run it when it had to wait longer than `patienceMs`.
   */
  add(write: () => void, weight: number, patienceMs: number): Promise<void> {
    if (this.waitingWeight + weight > this.options.waitingMax && this.waiting.length > 0) {
      return Promise.reject(new Error(`${this.waitingWeight} rows wait to be written already`));
    }
    return new Promise((resolve, reject) => {
      this.waiting.push({ write, weight, deadline: this.clock.monotonic() + patienceMs, resolve, reject });
      this.waitingWeight += weight;
      this.flushing ??= this.flush();
    });
  }

  /** Resolves when nothing waits to be written. */
  async idle(): Promise<void> {
    while (this.flushing !== null) await this.flushing;
  }

  private async flush(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.clock.nextTurn();
      this.commit(this.takeGroup());
    }
    this.flushing = null;
  }

  private takeGroup(): WaitingWrite[] {
    const now = this.clock.monotonic();
    const group: WaitingWrite[] = [];
    let taken = 0;
    let weight = 0;
    for (const write of this.waiting) {
      if (group.length > 0 && weight + write.weight > this.options.groupCommitMax) break;
      taken += 1;
      this.waitingWeight -= write.weight;
      if (write.deadline < now) {
        write.reject(new Error('it waited too long to be written'));
        continue;
      }
      group.push(write);
      weight += write.weight;
    }
    this.waiting.splice(0, taken);
    return group;
  }

  private commit(group: readonly WaitingWrite[]): void {
    if (group.length === 0) return;
    try {
      this.transaction(() => {
        for (const { write } of group) write();
      });
    } catch (error) {
      this.trouble.failed(error);
      for (const { reject } of group) reject(error);
      return;
    }
    this.trouble.worked();
    for (const { resolve } of group) resolve();
  }
}

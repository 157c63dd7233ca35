import { LaneTakenAwayError } from '../lane-taken-away-error.js';
import type { Delivery } from '../transport.js';
import type { KeyLine } from './key-lines.js';

/** What a delivery asks of its subscription. */
export interface DeliveryOwner {
  /** Resolves when the message is gone from the table. */
  settle(delivery: SqliteDelivery): Promise<void>;
  comeBack(delivery: SqliteDelivery, delayMs: number): void;
}

/**
 * - `undecided`: in hand.
 * - `settling`: its removal waits for the commit.
 * - `decided`: gone, or back in its line.
 * - `taken`: its lane was taken away; the message comes again whatever the consumer says.
 */
type DeliveryState = 'undecided' | 'settling' | 'decided' | 'taken';

export class SqliteDelivery implements Delivery {
  state: DeliveryState = 'undecided';
  private answer: Promise<void> = Promise.resolve();

  constructor(
    private readonly owner: DeliveryOwner,
    private readonly lane: AbortController,
    private readonly topic: string,
    readonly line: KeyLine,
    readonly seq: number,
    readonly body: string,
  ) {}

  get position(): string {
    return `${this.topic}@${this.seq}`;
  }

  get orderingKey(): string {
    return this.line.orderingKey;
  }

  get signal(): AbortSignal {
    return this.lane.signal;
  }

  settle(): Promise<void> {
    if (this.state === 'taken') return this.refuse();
    // The port allows one call; a second one gets the first one's answer, since both mean the same.
    if (this.state === 'undecided') {
      this.state = 'settling';
      this.answer = this.owner.settle(this);
    }
    return this.answer;
  }

  comeBack(delayMs: number): Promise<void> {
    if (this.state === 'undecided') {
      this.state = 'decided';
      this.owner.comeBack(this, delayMs);
    }
    return Promise.resolve();
  }

  private refuse(): Promise<void> {
    const refusal = Promise.reject<void>(new LaneTakenAwayError(this.position));
    // A consumer that has stopped listening must not bring the process down by it.
    refusal.catch(() => undefined);
    return refusal;
  }
}

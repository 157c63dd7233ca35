import { LaneTakenAwayError } from '../lane-taken-away-error.js';
import type { Delivery } from '../transport.js';
import type { HeldRecord, TakenRecord } from './held-lines.js';

export interface KafkaRecord extends HeldRecord {
  readonly key: Buffer | null;
  readonly value: Buffer | null;
}

/** What a delivery asks of its subscription. */
export interface DeliveryOwner {
  settle(delivery: KafkaDelivery): void;
  comeBack(delivery: KafkaDelivery, delayMs: number): void;
}

/**
 * - `undecided`: in hand.
 * - `decided`: settled, or back in its line.
 * - `taken`: its lane was taken away; the message comes again whatever the consumer says.
 */
type DeliveryState = 'undecided' | 'decided' | 'taken';

export class KafkaDelivery implements Delivery {
  state: DeliveryState = 'undecided';
  readonly orderingKey: string;
  readonly body: string;

  constructor(
    private readonly owner: DeliveryOwner,
    private readonly topic: string,
    readonly taken: TakenRecord<KafkaRecord>,
    readonly lane: AbortController,
  ) {
    this.orderingKey = taken.record.key?.toString() ?? '';
    this.body = taken.record.value?.toString() ?? '';
  }

  get partition(): number {
    return this.taken.record.partition;
  }

  get position(): string {
    return `${this.topic}[${this.partition}]@${this.taken.record.offset}`;
  }

  get signal(): AbortSignal {
    return this.lane.signal;
  }

  /** The commit follows within a moment; until then a crash brings the message again. */
  settle(): Promise<void> {
    if (this.state === 'taken') return this.refuse();
    // The port allows one call; a second one gets the first one's answer, since both mean the same.
    if (this.state === 'undecided') {
      this.state = 'decided';
      this.owner.settle(this);
    }
    return Promise.resolve();
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

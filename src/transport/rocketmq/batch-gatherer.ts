import type { ConsumeBatch, Delivery } from '../transport.js';

interface Waiting<T> {
  readonly delivery: T;
  readonly consumed: () => void;
}

/**
 * Makes batches of deliveries that arrive one at a time. One that finds a lane free goes at once, alone; while all lanes
 * are busy others gather, and the next free lane takes them together. So nothing waits for a batch to fill, and batches
 * grow with the load.
 */
export class BatchGatherer<T extends Delivery> {
  private waiting: Waiting<T>[] = [];
  private underWay = 0;

  constructor(
    private readonly consume: ConsumeBatch,
    private readonly limits: { readonly lanes: number; readonly batchSizeMax: number },
  ) {}

  /** Resolves when the batch with this delivery has returned, however it ended, or when the delivery was let go. */
  hand(delivery: T): Promise<void> {
    return new Promise((consumed) => {
      this.waiting.push({ delivery, consumed });
      this.fill();
    });
  }

  /** Forgets what no batch has taken yet. It is the caller's again, and nobody has seen it. */
  letGo(): readonly T[] {
    const { waiting } = this;
    this.waiting = [];
    for (const { consumed } of waiting) consumed();
    return waiting.map(({ delivery }) => delivery);
  }

  private fill(): void {
    while (this.underWay < this.limits.lanes && this.waiting.length > 0) {
      void this.run(this.waiting.splice(0, this.limits.batchSizeMax));
    }
  }

  private async run(taken: readonly Waiting<T>[]): Promise<void> {
    this.underWay += 1;
    // While it waited its time may have run out: then somebody else has it.
    const batch = taken.filter(({ delivery }) => !delivery.signal.aborted);
    try {
      if (batch.length > 0) await this.consume(batch.map(({ delivery }) => delivery));
    } catch {
      // A consumer that rejects settles nothing; who calls us has logged why.
    }
    this.underWay -= 1;
    for (const { consumed } of taken) consumed();
    this.fill();
  }
}

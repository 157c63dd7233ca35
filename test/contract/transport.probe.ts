import type { ConsumeBatch, Delivery, OutgoingMessage } from '../../src/transport/transport.js';

export interface SeenDelivery {
  readonly orderingKey: string;
  readonly body: string;
  readonly batch: number;
  /** Monotonic, for what must not come too early. */
  readonly at: number;
}

export type Decide = (delivery: Delivery, timesSeen: number) => Promise<void>;

/** A consumer that writes down what it was given and watches that no key is in two batches at once. */
export class TransportProbe {
  readonly seen: SeenDelivery[] = [];
  readonly settled: string[] = [];
  readonly violations: string[] = [];
  batches = 0;
  private readonly holders = new Map<string, { batch: number; count: number }>();
  private readonly times = new Map<string, number>();

  /** Decides the deliveries of a batch one after another, or side by side. */
  consumer(decide: Decide, mode: 'in-order' | 'side-by-side' = 'in-order'): ConsumeBatch {
    return async (batch) => {
      const id = (this.batches += 1);
      for (const delivery of batch) this.note(delivery, id);
      if (mode === 'side-by-side') {
        await Promise.all(batch.map((delivery) => this.decide(delivery, decide)));
      } else {
        for (const delivery of batch) await this.decide(delivery, decide);
      }
    };
  }

  bodiesOf(orderingKey: string): string[] {
    return this.seen.filter((one) => one.orderingKey === orderingKey).map((one) => one.body);
  }

  private note(delivery: Delivery, batch: number): void {
    const { orderingKey, body } = delivery;
    this.seen.push({ orderingKey, body, batch, at: performance.now() });
    this.times.set(body, (this.times.get(body) ?? 0) + 1);
    const holder = this.holders.get(orderingKey);
    if (holder === undefined) this.holders.set(orderingKey, { batch, count: 1 });
    else {
      if (holder.batch !== batch) this.violations.push(`${orderingKey} in batches ${holder.batch} and ${batch}`);
      holder.count += 1;
    }
  }

  private async decide(delivery: Delivery, decide: Decide): Promise<void> {
    let isHeld = true;
    // From the call on, not from its end: the transport may hand out the key before the caller has run on.
    const letGo = (): void => {
      if (isHeld) this.letGo(delivery.orderingKey);
      isHeld = false;
    };
    const { position, orderingKey, body, signal } = delivery;
    const settle = async (): Promise<void> => {
      letGo();
      await delivery.settle();
      this.settled.push(body);
    };
    const comeBack = (delayMs: number): Promise<void> => {
      letGo();
      return delivery.comeBack(delayMs);
    };
    try {
      await decide({ position, orderingKey, body, signal, settle, comeBack }, this.times.get(body) ?? 0);
    } finally {
      letGo();
    }
  }

  private letGo(orderingKey: string): void {
    const holder = this.holders.get(orderingKey)!;
    holder.count -= 1;
    if (holder.count === 0) this.holders.delete(orderingKey);
  }
}

export interface Gate {
  readonly opened: Promise<void>;
  open(): void;
}

export function createGate(): Gate {
  let open: () => void = () => undefined;
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open };
}

/** Waits for a condition, a turn of the event loop at a time. */
export async function until(what: string, condition: () => boolean | Promise<boolean>, limitMs: number): Promise<void> {
  const deadline = performance.now() + limitMs;
  while (!(await condition())) {
    if (performance.now() > deadline) throw new Error(`${what}: not within ${limitMs} ms`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** Messages `<key>1 … <key>n` of one ordering key. */
export function numbered(orderingKey: string, count: number): OutgoingMessage[] {
  return Array.from({ length: count }, (_, index) => ({ orderingKey, body: `${orderingKey}${index + 1}` }));
}

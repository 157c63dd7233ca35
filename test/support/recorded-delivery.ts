import { LaneTakenAwayError } from '../../src/transport/lane-taken-away-error.js';
import {
  Transport,
  type Backlog,
  type Delivery,
  type OutgoingMessage,
  type Subscription,
} from '../../src/transport/transport.js';

/** A delivery that notes what its consumer does with it. */
export class RecordedDelivery implements Delivery {
  settledCount = 0;
  readonly cameBackAfterMs: number[] = [];
  private readonly lane = new AbortController();

  constructor(
    readonly position: string,
    readonly orderingKey: string,
    readonly body: string,
    /** Empty for foreign records. */
    readonly eventKey = '',
    readonly corpId = '',
  ) {}

  get signal(): AbortSignal {
    return this.lane.signal;
  }

  get isSettled(): boolean {
    return this.settledCount > 0;
  }

  /** The key under which the guard knows the event. */
  get guardKey(): string {
    return `${this.corpId}:${this.eventKey}`;
  }

  takeAway(): void {
    this.lane.abort(new LaneTakenAwayError(this.position));
  }

  async settle(): Promise<void> {
    if (this.lane.signal.aborted) throw new LaneTakenAwayError(this.position);
    this.settledCount += 1;
  }

  async comeBack(delayMs: number): Promise<void> {
    this.cameBackAfterMs.push(delayMs);
  }
}

/** Keeps what is published; nothing is delivered from it. */
export class RecordingTransport extends Transport {
  readonly published: { readonly topic: string; readonly orderingKey: string; readonly body: string }[] = [];
  isAway = false;

  override async publish(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
    if (this.isAway) throw new Error('the topic is away');
    this.published.push(...messages.map((message) => ({ topic, ...message })));
  }

  override subscribe(): Promise<Subscription> {
    return Promise.reject(new Error('nothing is delivered from here'));
  }

  override async backlog(): Promise<Backlog> {
    return { unsettled: null };
  }

  override trouble(): null {
    return null;
  }

  override async close(): Promise<void> {}
}

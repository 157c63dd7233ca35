import type { Clock, Timer } from '../../runtime/clock.js';
import { LaneTakenAwayError } from '../lane-taken-away-error.js';
import { SettleFailedError } from '../settle-failed-error.js';
import type { Delivery } from '../transport.js';
import type { ReceiptAnswer, ReceivedMessage, RocketMqConsumer } from './rocketmq-client.js';
import { bodyOf, orderingKeyOf } from './rocketmq-message.js';

export interface DeliveryParts {
  readonly clock: Clock;
  readonly consumer: RocketMqConsumer;
  /** The name in the settings. */
  readonly topic: string;
  readonly visibilityMs: number;
}

// The server hides a message for at most twelve hours; an earlier redelivery is always allowed.
const COME_BACK_MS_MAX = 6 * 3_600_000;
// It takes no zero. So soon means at once.
const COME_BACK_MS_MIN = 1;
// The server counts from a moment before the message is here. What is held longer than this share may be elsewhere.
const HELD_SHARE_MAX = 0.9;
const RENEWALS_PER_VISIBILITY = 2;
const RENEW_AGAIN_SHARE = 0.1;

/**
 * - `undecided`: in hand, and renewed.
 * - `decided`: settled or given back, or on its way there.
 * - `taken`: its lane was taken away; the message comes again whatever the consumer says.
 */
type DeliveryState = 'undecided' | 'decided' | 'taken';

/** One received message. It stays invisible to others because half of its time before it would show it is renewed. */
export class RocketMqDelivery implements Delivery {
  readonly orderingKey: string;
  readonly body: string;
  private readonly lane = new AbortController();
  private state: DeliveryState = 'undecided';
  private answer: Promise<void> = Promise.resolve();
  private heldSince: number;
  private renewal: Timer | null = null;
  /** A renewal under way: it replaces the receipt, so whatever uses the receipt waits for its end. */
  private renewing: Promise<void> = Promise.resolve();

  constructor(
    private readonly parts: DeliveryParts,
    private readonly message: ReceivedMessage,
  ) {
    this.orderingKey = orderingKeyOf(message);
    this.body = bodyOf(message);
    this.heldSince = parts.clock.monotonic();
    this.renewAfter(parts.visibilityMs / RENEWALS_PER_VISIBILITY);
  }

  get position(): string {
    return `${this.parts.topic}@${this.message.messageId}`;
  }

  get signal(): AbortSignal {
    return this.lane.signal;
  }

  settle(): Promise<void> {
    if (this.state === 'taken') return this.refuse();
    // The port allows one call; a second one gets the first one's answer, since both mean the same.
    if (this.state === 'undecided') {
      this.decide();
      this.answer = this.acknowledge();
    }
    return this.answer;
  }

  async comeBack(delayMs: number): Promise<void> {
    if (this.state !== 'undecided') return;
    this.decide();
    const ms = Math.min(Math.max(Math.ceil(delayMs), COME_BACK_MS_MIN), COME_BACK_MS_MAX);
    this.answer = this.giveBack(ms);
    await this.answer;
  }

  /** The consumer has returned: what it left undecided comes back, and a decision under way is waited for. */
  async end(defaultComeBackMs: number): Promise<void> {
    await this.comeBack(defaultComeBackMs);
    await this.answer.catch(() => undefined);
  }

  /** Aborts the signal and lets others have the message at once. Without effect on one that is decided. */
  async takeLane(): Promise<void> {
    if (this.state !== 'undecided') {
      await this.answer.catch(() => undefined);
      return;
    }
    this.loseLane();
    await this.giveBack(COME_BACK_MS_MIN);
  }

  private decide(): void {
    this.state = 'decided';
    this.renewal?.cancel();
  }

  private async acknowledge(): Promise<void> {
    await this.renewing;
    let answer: ReceiptAnswer;
    try {
      answer = await this.parts.consumer.ack(this.message);
    } catch (cause) {
      throw new SettleFailedError(this.parts.topic, { cause });
    }
    if (answer === 'done') return;
    this.loseLane();
    throw new LaneTakenAwayError(this.position);
  }

  /** What the server does not take comes back all the same, when it becomes visible. */
  private async giveBack(ms: number): Promise<void> {
    await this.renewing;
    await this.parts.consumer.hide(this.message, ms).catch(() => undefined);
  }

  private renewAfter(ms: number): void {
    this.renewal = this.parts.clock.after(ms, () => {
      this.renewing = this.renew();
    });
  }

  private async renew(): Promise<void> {
    const { clock, consumer, visibilityMs } = this.parts;
    const askedAt = clock.monotonic();
    let nextMs = visibilityMs / RENEWALS_PER_VISIBILITY;
    try {
      if ((await consumer.hide(this.message, visibilityMs)) === 'refused') {
        if (this.state === 'undecided') this.loseLane();
        return;
      }
      this.heldSince = askedAt;
    } catch {
      nextMs = visibilityMs * RENEW_AGAIN_SHARE;
    }
    if (this.state !== 'undecided') return;
    if (clock.monotonic() + nextMs - this.heldSince >= visibilityMs * HELD_SHARE_MAX) this.loseLaneAt(clock);
    else this.renewAfter(nextMs);
  }

  /** No renewal can come in time any more. Until the very end the consumer may still finish. */
  private loseLaneAt(clock: Clock): void {
    const leftMs = this.heldSince + this.parts.visibilityMs * HELD_SHARE_MAX - clock.monotonic();
    this.renewal = clock.after(Math.max(leftMs, 0), () => this.loseLane());
  }

  private loseLane(): void {
    this.renewal?.cancel();
    this.state = 'taken';
    this.lane.abort(new LaneTakenAwayError(this.position));
  }

  private refuse(): Promise<void> {
    const refusal = Promise.reject<void>(new LaneTakenAwayError(this.position));
    // A consumer that has stopped listening must not bring the process down by it.
    refusal.catch(() => undefined);
    return refusal;
  }
}

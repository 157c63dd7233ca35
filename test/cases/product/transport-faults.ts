import { hash } from 'node:crypto';
import {
  PublishFailedError,
  type Delivery,
  type OutgoingMessage,
  type Transport,
} from '../../../src/transport/transport.js';
import { fieldsFit } from '../runner/field-paths.js';
import type { FaultSpec } from './control.js';
import { journal } from './journal.js';
import { points } from './points.js';

/** A broker gives up after so many deliveries, and moves the record to its dead-letter topic. */
const DELIVERIES_MAX = 16;
const LOST_ACK_COMES_BACK_MS = 100;
const LOOK_AGAIN_MS = 20;

interface Topics {
  readonly eventsTopic: string;
  readonly dlqTopic: string;
}

/** Faults of a broker, injected at the Transport port: whatever adapter stands behind it. */
export class TransportFaults {
  private downSince: number | null = null;
  private ackDelayMs = 0;
  private hold: { ms: number; timesLeft: number } | null = null;
  private rejectsLeft = 0;
  private lostRepliesLeft = 0;
  private isDlqRejecting = false;
  private readonly lostAcks: Record<string, string>[] = [];
  private readonly lostCounts = new Map<string, number>();
  private publish!: Transport['publish'];

  constructor(
    private readonly transport: Transport,
    private readonly topics: Topics,
  ) {
    this.wrap();
  }

  set({ what, ...fault }: FaultSpec): void {
    const times = Number(fault['times'] ?? Infinity);
    if (what === 'broker.down') this.downSince = Date.now();
    else if (what === 'broker.up') this.downSince = null;
    else if (what === 'broker.slow') this.ackDelayMs = Number(fault['ackDelayMs']);
    else if (what === 'broker.holdPublish') this.hold = { ms: Number(fault['ms']), timesLeft: times };
    else if (what === 'broker.rejectPublish') this.rejectsLeft = times;
    else if (what === 'broker.dropReply') this.lostRepliesLeft = times;
    else if (what === 'broker.normal') this.heal();
    else if (what === 'dlq.reject') this.isDlqRejecting = true;
    else if (what === 'dlq.accept') this.isDlqRejecting = false;
    else if (what === 'bus.loseAck') this.lostAcks.push((fault['match'] ?? {}) as Record<string, string>);
    else throw new Error(`no transport fault ${what}`);
  }

  /** Past all faults: for what a case puts onto the bus by itself. */
  async put(topic: 'events' | 'dlq', message: OutgoingMessage): Promise<void> {
    const name = topic === 'events' ? this.topics.eventsTopic : this.topics.dlqTopic;
    await this.publish(name, [message]);
  }

  private heal(): void {
    this.downSince = null;
    this.ackDelayMs = 0;
    this.hold = null;
    this.rejectsLeft = 0;
    this.lostRepliesLeft = 0;
  }

  private wrap(): void {
    const { transport } = this;
    const publish = transport.publish.bind(transport);
    this.publish = async (topic, messages) => {
      await publish(topic, messages);
      for (const { body } of messages) journal({ kind: 'sent', topic, body: digestOf(body) });
    };
    const trouble = transport.trouble.bind(transport);
    const subscribe = transport.subscribe.bind(transport);
    transport.publish = (topic, messages) => this.faultyPublish(topic, messages);
    transport.trouble = () =>
      this.downSince === null ? trouble() : { since: this.downSince, reason: 'the broker was stopped by a case' };
    transport.subscribe = (options, consume) =>
      subscribe(options, async (batch) => {
        while (this.downSince !== null && !batch[0]?.signal.aborted) await sleep(LOOK_AGAIN_MS);
        const takenAway = (): void => journal({ kind: 'taken-away', topic: options.topic });
        batch[0]?.signal.addEventListener('abort', takenAway, { once: true });
        // What is lost is lost on the way to the events topic; a dead-letter topic is another one.
        const isEvents = options.topic === this.topics.eventsTopic;
        const counted = batch.map((delivery) => countedDelivery(options.topic, delivery));
        await consume(isEvents ? counted.map((delivery) => this.faultyDelivery(delivery)) : counted);
        batch[0]?.signal.removeEventListener('abort', takenAway);
      });
  }

  private async faultyPublish(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
    const fail = (text: string): never => {
      throw new PublishFailedError(topic, { cause: new Error(text) });
    };
    if (this.downSince !== null) fail('the broker is down');
    if (topic === this.topics.dlqTopic && this.isDlqRejecting) fail('the dead-letter topic refuses writes');
    if (topic !== this.topics.eventsTopic) return this.publish(topic, messages);
    await points.reach('before-publish');
    if (this.rejectsLeft > 0) {
      this.rejectsLeft -= 1;
      fail('the broker refused it');
    }
    if (this.hold !== null && this.hold.timesLeft > 0) {
      this.hold.timesLeft -= 1;
      await sleep(this.hold.ms);
      fail('the broker held it and failed');
    }
    await this.publish(topic, messages);
    for (const { orderingKey, body } of messages) journal({ kind: 'published', topic, orderingKey, body });
    if (this.lostRepliesLeft > 0) {
      this.lostRepliesLeft -= 1;
      fail('the reply was lost');
    }
    if (this.ackDelayMs > 0) await sleep(this.ackDelayMs);
    await points.reach('after-publish');
  }

  private faultyDelivery(delivery: Delivery): Delivery {
    return {
      position: delivery.position,
      orderingKey: delivery.orderingKey,
      body: delivery.body,
      signal: delivery.signal,
      comeBack: (delayMs) => delivery.comeBack(delayMs),
      settle: async () => {
        await points.reach('before-settle');
        if (!this.losesAckOf(delivery.body)) return delivery.settle();
        const count = (this.lostCounts.get(delivery.body) ?? 0) + 1;
        this.lostCounts.set(delivery.body, count);
        if (count < DELIVERIES_MAX) return delivery.comeBack(LOST_ACK_COMES_BACK_MS);
        const { orderingKey, body } = delivery;
        await this.publish(this.topics.dlqTopic, [{ orderingKey, body }]);
        return delivery.settle();
      },
    };
  }

  private losesAckOf(body: string): boolean {
    if (this.lostAcks.length === 0) return false;
    try {
      const { plaintext } = JSON.parse(body) as { plaintext: string };
      return this.lostAcks.some((match) => fieldsFit(plaintext, match));
    } catch {
      return false;
    }
  }
}

function countedDelivery(topic: string, delivery: Delivery): Delivery {
  const { position, orderingKey, body, signal } = delivery;
  return {
    ...{ position, orderingKey, body, signal },
    comeBack: (delayMs) => delivery.comeBack(delayMs),
    settle: async () => {
      await delivery.settle();
      journal({ kind: 'settled', topic, body: digestOf(body) });
    },
  };
}

function digestOf(body: string): string {
  return hash('sha256', body, 'hex').slice(0, 16);
}

function sleep(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

import type { Clock } from '../../runtime/clock.js';
import { within } from '../../runtime/within.js';
import type { ConsumeBatch, SubscribeOptions, Subscription } from '../transport.js';
import { Trouble } from '../trouble.js';
import { BatchGatherer } from './batch-gatherer.js';
import { ClientKeeper, type FirstStart } from './client-keeper.js';
import { RocketMqDelivery } from './rocketmq-delivery.js';
import type { ReceivedMessage, RocketMqClients, RocketMqConsumer } from './rocketmq-client.js';
import { reasonOf } from './rocketmq-reasons.js';

export interface SubscriptionParts {
  readonly clock: Clock;
  readonly clients: RocketMqClients;
  readonly fullTopic: string;
  readonly fullGroup: string;
  readonly visibilityMs: number;
  readonly defaultComeBackMs: number;
}

const RECEIVE_AGAIN_AFTER_MS = 500;
/** As many messages as a topic of common size shows at once: each queue shows one. */
const RECEIVES_MAX = 32;
// The server answers a long poll after 5 s, and a client gives one up after 5 s and its request timeout.
const CLOSE_LIMIT_MS = 8_500;
// A message that comes back every second for a week of outage is delivered 604,800 times.
const DELIVERIES_MAX_LEAST = 1_000_000;

/**
 * Receive loops with one message in hand each, since a FIFO receive of more breaks order; what they bring side by side
 * is consumed in batches, as many at once as lanes were asked for.
 */
export class RocketMqSubscription implements Subscription {
  private readonly batches: BatchGatherer<RocketMqDelivery>;
  private readonly keeper: ClientKeeper<RocketMqConsumer>;
  private readonly startTrouble: Trouble;
  private readonly receiveTrouble: Trouble;
  private readonly inHand = new Set<RocketMqDelivery>();
  private readonly stopping = new AbortController();
  private loops: Promise<unknown> = Promise.resolve();
  private stopped: Promise<void> | null = null;
  private onHandsFree: () => void = () => undefined;

  constructor(
    private readonly parts: SubscriptionParts,
    private readonly options: SubscribeOptions,
    consume: ConsumeBatch,
  ) {
    this.batches = new BatchGatherer(consume, options);
    const { clock, clients, fullTopic, fullGroup } = parts;
    this.startTrouble = new Trouble(clock, () => undefined);
    this.receiveTrouble = new Trouble(clock, () => undefined);
    this.keeper = new ClientKeeper(clock, this.startTrouble, {
      what: `receiving from ${fullTopic} as ${fullGroup}`,
      make: () => clients.consumer(fullTopic, fullGroup),
      refusal: (consumer) => refusalOf(consumer, fullGroup),
    });
  }

  /** Loops wait for the client by themselves, so a server that is away now is found later. */
  async start(): Promise<FirstStart> {
    const first = await this.keeper.start();
    if (first.kind === 'refused') return first;
    this.loops = Promise.all(Array.from({ length: receivesOf(this.options) }, () => this.loop()));
    return first;
  }

  trouble(): { since: number; reason: string } | null {
    return this.startTrouble.state() ?? this.receiveTrouble.state();
  }

  stop(limitMs: number): Promise<void> {
    this.stopped ??= this.stopWithin(limitMs);
    return this.stopped;
  }

  /** Also ends the client. A long poll under way is waited for: a message that it brings is given back at once. */
  async close(): Promise<void> {
    await this.stop(0);
    // A loop whose consumer does not return is not waited for: its lane was taken away.
    await within(this.parts.clock, CLOSE_LIMIT_MS, 'the last receive', this.loops).catch(() => undefined);
    await this.keeper.close();
  }

  private async loop(): Promise<void> {
    while (!this.stopping.signal.aborted) {
      const received = await this.receive();
      if (received !== null) await this.hand(received.consumer, received.message);
    }
  }

  private async receive(): Promise<{ consumer: RocketMqConsumer; message: ReceivedMessage } | null> {
    try {
      const consumer = await this.keeper.up();
      if (this.stopping.signal.aborted) return null;
      const message = await consumer.receive(this.parts.visibilityMs);
      this.receiveTrouble.worked();
      return message && { consumer, message };
    } catch (error) {
      if (!this.stopping.signal.aborted) this.receiveTrouble.failed(new Error(reasonOf(error)));
      await this.parts.clock.sleep(RECEIVE_AGAIN_AFTER_MS, this.stopping.signal).catch(() => undefined);
      return null;
    }
  }

  private async hand(consumer: RocketMqConsumer, message: ReceivedMessage): Promise<void> {
    const { clock, visibilityMs, defaultComeBackMs } = this.parts;
    const delivery = new RocketMqDelivery({ clock, consumer, topic: this.options.topic, visibilityMs }, message);
    if (this.stopping.signal.aborted) return delivery.takeLane();
    this.inHand.add(delivery);
    await this.batches.hand(delivery);
    await delivery.end(defaultComeBackMs);
    this.inHand.delete(delivery);
    if (this.inHand.size === 0) this.onHandsFree();
  }

  private async stopWithin(limitMs: number): Promise<void> {
    this.stopping.abort(new Error('the subscription is stopped'));
    this.startTrouble.close();
    this.receiveTrouble.close();
    // Loops that wait for a client need not wait for one any more.
    const ended = this.keeper.client === null ? this.keeper.close() : Promise.resolve();
    await Promise.all(this.batches.letGo().map((delivery) => delivery.takeLane()));
    if (this.inHand.size > 0 && limitMs > 0) await this.handsFree(limitMs);
    await Promise.all([...this.inHand].map((delivery) => delivery.takeLane()));
    await ended;
  }

  private handsFree(limitMs: number): Promise<void> {
    return new Promise((resolve) => {
      const timer = this.parts.clock.after(limitMs, resolve);
      this.onHandsFree = () => {
        timer.cancel();
        resolve();
      };
    });
  }
}

function receivesOf({ lanes, batchSizeMax }: SubscribeOptions): number {
  return Math.max(lanes, Math.min(lanes * batchSizeMax, RECEIVES_MAX));
}

function refusalOf({ group }: RocketMqConsumer, name: string): string | null {
  if (group === null) return null;
  const update = `mqadmin updateSubGroup -g '${name}' -o true -r 1000000000`;
  if (!group.isFifo) return `the group does not keep order; run: ${update}`;
  if (group.deliveriesMax >= DELIVERIES_MAX_LEAST) return null;
  return `the broker gives a message up after ${group.deliveriesMax} deliveries, which an outage reaches; run: ${update}`;
}

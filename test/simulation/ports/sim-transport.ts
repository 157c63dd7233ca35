import { LaneTakenAwayError } from '../../../src/transport/lane-taken-away-error.js';
import { SettleFailedError } from '../../../src/transport/settle-failed-error.js';
import {
  PublishFailedError,
  Transport,
  type Backlog,
  type ConsumeBatch,
  type Delivery,
  type OutgoingMessage,
  type SubscribeOptions,
  type Subscription,
} from '../../../src/transport/transport.js';
import type { Life } from '../world/life.js';
import type { World } from '../world/world.js';
import type { Broker, HandedOut, Member } from './broker.js';

const PUBLISH_LIMIT_MS = 1_500;
const SETTLE_LIMIT_MS = 3_000;
const DEFAULT_COME_BACK_MS = 1_000;
const PARTIAL_CHANCE = 0.3;
const DOUBLE_CHANCE = 0.01;

/** The broker as one process calls it. */
export class SimTransport extends Transport {
  private failedAt: number | null = null;

  constructor(
    private readonly world: World,
    private readonly life: Life,
    private readonly broker: Broker,
  ) {
    super();
  }

  override async publish(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
    const { world, broker } = this;
    const failure = (reason: string): Error => {
      this.failedAt ??= world.now;
      return new PublishFailedError(topic, { cause: new Error(reason) });
    };
    const call = { service: 'broker' as const, label: `broker.publish ${topic}`, limitMs: PUBLISH_LIMIT_MS, failure };
    await world.call<void>(this.life, call, (reply) => {
      const isTroubled = !world.isCalmed && world.profile.perCall.lostReply > 0;
      if (
        isTroubled &&
        messages.length > 1 &&
        world.random.chance(PARTIAL_CHANCE * world.profile.perCall.lostReply * 10)
      ) {
        broker.publish(topic, messages.slice(0, 1 + world.random.upTo(messages.length - 2)));
        return reply({ error: failure('some of them were written') });
      }
      broker.publish(topic, messages);
      if (isTroubled && world.random.chance(DOUBLE_CHANCE)) {
        // A producer that sends again what it believes lost.
        world.hit('double-publish');
        world.later(world.random.fraction() * 500, () => broker.publish(topic, messages));
      }
      reply({ ok: undefined });
    });
    this.failedAt = null;
  }

  override subscribe(options: SubscribeOptions, consume: ConsumeBatch): Promise<Subscription> {
    this.broker.join(this.life, options, consume);
    return Promise.resolve({ stop: () => Promise.resolve() });
  }

  override backlog(): Promise<Backlog> {
    return Promise.resolve({ unsettled: null });
  }

  override trouble(): { since: number; reason: string } | null {
    return this.failedAt === null ? null : { since: this.failedAt, reason: 'no answer' };
  }

  override close(): Promise<void> {
    return Promise.resolve();
  }
}

/** Makes deliveries of what the broker hands out, as the product's adapters do. */
export function connectDeliveries(world: World, broker: Broker): void {
  broker.deliver = (member, batch) => {
    const lane = new AbortController();
    if (world.history !== null) {
      const offsets = batch.map(({ message, isTaken }) => `@${message.offset}${isTaken ? ' (taken)' : ''}`).join(' ');
      world.tell(member.life.name, `gets ${offsets}`);
    }
    const deliveries = batch
      .filter(({ isTaken }) => !isTaken)
      .map((handed) => new SimDelivery(world, broker, member, handed, lane));
    void member
      .consume(deliveries)
      .catch((error: unknown) => world.tell(member.life.name, `the consumer failed: ${String(error)}`))
      .then(() => {
        // What the consumer has not decided comes back by itself.
        const left = deliveries.filter(({ state }) => state === 'undecided');
        for (const delivery of left) delivery.giveBack(DEFAULT_COME_BACK_MS);
        if (left[0]) lane.abort(new LaneTakenAwayError(left[0].position));
        broker.batchEnded(member);
      });
  };
}

class SimDelivery implements Delivery {
  state: 'undecided' | 'decided' = 'undecided';

  constructor(
    private readonly world: World,
    private readonly broker: Broker,
    private readonly member: Member,
    private readonly handed: HandedOut,
    private readonly lane: AbortController,
  ) {
    handed.onTaken = () => lane.abort(new LaneTakenAwayError(this.position));
  }

  get position(): string {
    return `${this.handed.message.topic}@${this.handed.message.offset}`;
  }

  get orderingKey(): string {
    return this.handed.message.orderingKey;
  }

  get body(): string {
    return this.handed.message.body;
  }

  get signal(): AbortSignal {
    return this.lane.signal;
  }

  async settle(): Promise<void> {
    const { topic } = this.handed.message;
    this.state = 'decided';
    const failure = (reason: string): Error => new SettleFailedError(topic, { cause: new Error(reason) });
    const call = { service: 'broker' as const, label: `broker.settle ${topic}`, limitMs: SETTLE_LIMIT_MS, failure };
    try {
      await this.world.call<void>(this.member.life, call, (reply) => {
        const isOurs = this.broker.settle(this.member, this.handed);
        reply(isOurs ? { ok: undefined } : { error: new LaneTakenAwayError(this.position) });
      });
    } catch (error) {
      // Nobody knows whether it is settled; if it is not, it comes again.
      this.broker.comeBack(this.member, this.handed, DEFAULT_COME_BACK_MS);
      throw error;
    }
  }

  comeBack(delayMs: number): Promise<void> {
    this.giveBack(delayMs);
    return Promise.resolve();
  }

  giveBack(delayMs: number): void {
    if (this.state === 'decided') return;
    this.world.tell(this.member.life.name, `gives ${this.position} back for ${Math.round(delayMs)} ms`);
    this.state = 'decided';
    this.broker.comeBack(this.member, this.handed, delayMs);
  }
}

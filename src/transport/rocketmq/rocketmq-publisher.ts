import type { Clock, Timer } from '../../runtime/clock.js';
import { within } from '../../runtime/within.js';
import { PublishFailedError, type OutgoingMessage } from '../transport.js';
import { Trouble } from '../trouble.js';
import { ClientKeeper, type FirstStart } from './client-keeper.js';
import type { RocketMqClients, RocketMqMessage, RocketMqProducer } from './rocketmq-client.js';
import { toRocketMq } from './rocketmq-message.js';
import { reasonOf } from './rocketmq-reasons.js';
import { SendSlots } from './send-slots.js';

export interface PublisherOptions {
  /** The name in the settings, for errors. */
  readonly topic: string;
  /** The name on the server. */
  readonly fullTopic: string;
  readonly publishLimitMs: number;
}

// A proxy takes 1,100 to 1,800 sends a second with this many under way (measured); more only wait there.
const SENDS_MAX = 64;
// At 1 KB a message this is 10 MB of memory.
const WAITING_MESSAGES_MAX = 10_000;
// The deadline of a send is the client's; a send that outlives it by this long counts as ended.
const SEND_GRACE_MS = 2_000;
// The client never asks again where to send. After so long without success the server may have moved.
const REPLACE_AFTER_MS = 30_000;

interface Publish {
  /** Nobody waits for it any more: nothing further of it is sent. */
  isOver: boolean;
}

/**
 * Sends to one topic: the messages of one ordering key one after another, each when the one before is acknowledged, and
 * different keys side by side. Two sends of a key under way could change places on the server.
 */
export class RocketMqPublisher {
  private readonly keeper: ClientKeeper<RocketMqProducer>;
  private readonly startTrouble: Trouble;
  private readonly sendTrouble: Trouble;
  private readonly slots = new SendSlots(SENDS_MAX);
  private readonly lines = new Map<string, Promise<void>>();
  private waitingCount = 0;
  private successCount = 0;
  private replacing: Timer | null = null;
  private starting: Promise<FirstStart> | null = null;

  constructor(
    private readonly clock: Clock,
    clients: RocketMqClients,
    private readonly options: PublisherOptions,
  ) {
    this.startTrouble = new Trouble(clock, () => undefined);
    this.sendTrouble = new Trouble(clock, () => this.probe());
    this.keeper = new ClientKeeper(clock, this.startTrouble, {
      what: `sending to ${options.fullTopic}`,
      make: () => clients.producer(options.fullTopic),
    });
  }

  /** Resolves with the end of the first try to start. */
  get started(): Promise<FirstStart> {
    this.starting ??= this.keeper.start();
    return this.starting;
  }

  trouble(): { since: number; reason: string } | null {
    return this.startTrouble.state() ?? this.sendTrouble.state();
  }

  async publish(messages: readonly OutgoingMessage[]): Promise<void> {
    const { topic, publishLimitMs } = this.options;
    const publish: Publish = { isOver: false };
    void this.started;
    try {
      if (this.waitingCount + messages.length > WAITING_MESSAGES_MAX)
        throw new Error(`${WAITING_MESSAGES_MAX} messages are under way already`);
      // All of them first: one that is too large must not leave half of the others sent.
      const sends = this.line(messages.map((message) => [message.orderingKey, toRocketMq(message)] as const));
      const sending = Promise.all([...sends].map(([key, line]) => this.sendLine(key, line, publish)));
      await within(this.clock, publishLimitMs, 'RocketMQ', sending);
      this.worked();
    } catch (cause) {
      // The server is not to blame for a body that is too large.
      if (!(cause instanceof RangeError)) this.failed(cause);
      throw new PublishFailedError(topic, { cause });
    } finally {
      publish.isOver = true;
    }
  }

  async close(): Promise<void> {
    this.startTrouble.close();
    this.sendTrouble.close();
    this.replacing?.cancel();
    await this.keeper.close();
  }

  private line(messages: readonly (readonly [string, RocketMqMessage])[]): Map<string, RocketMqMessage[]> {
    const lines = new Map<string, RocketMqMessage[]>();
    for (const [key, message] of messages) {
      const line = lines.get(key);
      if (line === undefined) lines.set(key, [message]);
      else line.push(message);
    }
    return lines;
  }

  /** Behind what was published for this key before, however that ends. */
  private sendLine(key: string, messages: readonly RocketMqMessage[], publish: Publish): Promise<void> {
    this.waitingCount += messages.length;
    const before = this.lines.get(key) ?? Promise.resolve();
    const sent = before.then(() => this.sendAll(messages, publish));
    const ended = sent
      .catch(() => undefined)
      .then(() => {
        this.waitingCount -= messages.length;
        if (this.lines.get(key) === ended) this.lines.delete(key);
      });
    this.lines.set(key, ended);
    return sent;
  }

  private async sendAll(messages: readonly RocketMqMessage[], publish: Publish): Promise<void> {
    for (const message of messages) {
      await this.slots.take();
      try {
        if (publish.isOver) throw new Error('the publish was given up');
        const producer = await this.producer();
        const limitMs = this.options.publishLimitMs + SEND_GRACE_MS;
        await within(this.clock, limitMs, 'a send to RocketMQ', producer.send(message));
      } finally {
        this.slots.give();
      }
    }
  }

  private async producer(): Promise<RocketMqProducer> {
    const trouble = this.startTrouble.state();
    // While it starts for the first time it is worth waiting for; one that failed costs no caller its limit.
    if (trouble !== null && this.keeper.client === null) throw new Error(trouble.reason);
    return this.keeper.up();
  }

  private probe(): void {
    const producer = this.keeper.client;
    const { successCount } = this;
    producer?.probe().then(
      () => this.worked(),
      (error: unknown) => {
        // A send that worked meanwhile knows better.
        if (this.successCount === successCount) this.failed(error);
      },
    );
  }

  private worked(): void {
    this.successCount += 1;
    this.sendTrouble.worked();
    this.replacing?.cancel();
    this.replacing = null;
  }

  private failed(error: unknown): void {
    this.sendTrouble.failed(new Error(reasonOf(error)));
    const producer = this.keeper.client;
    if (producer === null) return;
    this.replacing ??= this.clock.after(REPLACE_AFTER_MS, () => {
      this.replacing = null;
      this.keeper.replace(producer);
    });
  }
}

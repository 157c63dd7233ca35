import type {
  GroupSettings,
  ReceiptAnswer,
  ReceivedMessage,
  RocketMqClients,
  RocketMqConsumer,
  RocketMqMessage,
  RocketMqProducer,
} from '../../src/transport/rocketmq/rocketmq-client.js';

export interface Deferred<T> {
  readonly promise: Promise<T>;
  readonly resolve: (value: T) => void;
  readonly reject: (error: unknown) => void;
}

export function createDeferred<T>(): Deferred<T> {
  let settleWith: Pick<Deferred<T>, 'resolve' | 'reject'> | null = null;
  const promise = new Promise<T>((resolve, reject) => (settleWith = { resolve, reject }));
  return { promise, ...settleWith! };
}

class ScriptedClient {
  /** What `start` does next; up at once when empty. */
  starts: Promise<void>[] = [];
  isStopped = false;

  start(): Promise<void> {
    return this.starts.shift() ?? Promise.resolve();
  }

  async stop(): Promise<void> {
    this.isStopped = true;
  }
}

export class ScriptedProducer extends ScriptedClient implements RocketMqProducer {
  readonly sent: string[] = [];
  /** Sends under way, in the order in which they began; without `holds` they end at once. */
  readonly underWay: Deferred<void>[] = [];
  holds = false;
  probes: Promise<void> = Promise.resolve();

  send({ body }: RocketMqMessage): Promise<void> {
    this.sent.push(body.toString());
    if (!this.holds) return Promise.resolve();
    const deferred = createDeferred<void>();
    this.underWay.push(deferred);
    return deferred.promise;
  }

  probe(): Promise<void> {
    return this.probes;
  }
}

export class ScriptedConsumer extends ScriptedClient implements RocketMqConsumer {
  group: GroupSettings | null = { isFifo: true, deliveriesMax: 1_000_000_000 };
  /** Calls in order: `ack a`, `hide a 5000`. */
  readonly calls: string[] = [];
  readonly polls: Deferred<ReceivedMessage | null>[] = [];
  /** Answers in order; `done` when empty. */
  readonly answers: Promise<ReceiptAnswer>[] = [];

  receive(): Promise<ReceivedMessage | null> {
    const poll = createDeferred<ReceivedMessage | null>();
    this.polls.push(poll);
    return poll.promise;
  }

  ack(message: ReceivedMessage): Promise<ReceiptAnswer> {
    return this.called(`ack ${message.messageId}`);
  }

  hide(message: ReceivedMessage, ms: number): Promise<ReceiptAnswer> {
    return this.called(`hide ${message.messageId} ${ms}`);
  }

  private called(call: string): Promise<ReceiptAnswer> {
    this.calls.push(call);
    return this.answers.shift() ?? Promise.resolve('done');
  }
}

/** Clients that do what a test tells them; `made` holds them in the order of their making. */
export class ScriptedRocketMq implements RocketMqClients {
  readonly producers: ScriptedProducer[] = [];
  readonly consumers: ScriptedConsumer[] = [];
  prepare: (client: ScriptedProducer | ScriptedConsumer) => void = () => undefined;

  producer(): ScriptedProducer {
    const producer = new ScriptedProducer();
    this.prepare(producer);
    this.producers.push(producer);
    return producer;
  }

  consumer(): ScriptedConsumer {
    const consumer = new ScriptedConsumer();
    this.prepare(consumer);
    this.consumers.push(consumer);
    return consumer;
  }
}

export function receivedMessage(messageId: string): ReceivedMessage {
  return { messageId, messageGroup: 'group', body: Buffer.from(messageId), properties: new Map() };
}

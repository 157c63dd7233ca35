/** A message as RocketMQ carries it. */
export interface RocketMqMessage {
  readonly messageGroup: string;
  readonly body: Buffer;
  readonly properties: ReadonlyMap<string, string>;
}

/** A message that was received and is invisible to others for a while. The client renews its receipt inside of it. */
export interface ReceivedMessage {
  readonly messageId: string;
  readonly messageGroup?: string | undefined;
  readonly body: Buffer;
  readonly properties: ReadonlyMap<string, string>;
}

/** `refused`: the receipt has expired; somebody else has the message or is going to get it. */
export type ReceiptAnswer = 'done' | 'refused';

export interface RocketMqClient {
  /** May hang: the caller brings a limit. After a rejection or a hang, `stop` must follow. */
  start(): Promise<void>;
  /** Never rejects, also not while `start` hangs or the server is away; leaves no timer, stream or channel behind. */
  stop(): Promise<void>;
}

export interface RocketMqProducer extends RocketMqClient {
  /** One attempt, no resending. Rejects when the outcome is unknown. */
  send(message: RocketMqMessage): Promise<void>;
  /** Asks for the route: shows that the server answers. */
  probe(): Promise<void>;
}

/** What the server says about the consumer group. */
export interface GroupSettings {
  readonly isFifo: boolean;
  /** Deliveries after which the broker moves a message to its own dead-letter queue. */
  readonly deliveriesMax: number;
}

export interface RocketMqConsumer extends RocketMqClient {
  /** Known once started. */
  readonly group: GroupSettings | null;
  /** The next message, invisible for `visibilityMs`, or null after a while without one. */
  receive(visibilityMs: number): Promise<ReceivedMessage | null>;
  ack(message: ReceivedMessage): Promise<ReceiptAnswer>;
  /** Invisible for `ms` from now on: renews a message in hand, or gives it back after that time. */
  hide(message: ReceivedMessage, ms: number): Promise<ReceiptAnswer>;
}

/** Makes clients; none of them is started. Names are full names on the server. */
export interface RocketMqClients {
  producer(topic: string): RocketMqProducer;
  consumer(topic: string, group: string): RocketMqConsumer;
}

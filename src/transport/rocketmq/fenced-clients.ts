import type { MessageView, Producer, SimpleConsumer } from 'rocketmq-client-nodejs';
import { format } from 'node:util';
import type { Clock } from '../../runtime/clock.js';
import { within } from '../../runtime/within.js';
import { ClientFence, type ClientInsides } from './client-fence.js';
import type {
  GroupSettings,
  ReceiptAnswer,
  ReceivedMessage,
  RocketMqClient,
  RocketMqClients,
  RocketMqConsumer,
  RocketMqMessage,
  RocketMqProducer,
} from './rocketmq-client.js';
import { isReceiptRefused, isWiring, OK } from './rocketmq-reasons.js';

export type ClientLibrary = typeof import('rocketmq-client-nodejs');

export interface FencedClientOptions {
  /** `host:port`, several separated by `;`. */
  readonly endpoints: string;
  readonly credentials: { readonly accessKey: string; readonly secretKey: string } | null;
  /** Deadline of a send. */
  readonly requestTimeoutMs: number;
  /** What the client itself writes; at debug, since every failure also reaches us as a rejection. */
  readonly debug: (text: string) => void;
}

// The proxy's least; a receive waits this long for a message.
const LONG_POLL_MS = 5_000;
// Its own limits, for a client that does not keep them.
const SHUTDOWN_LIMIT_MS = 4_000;
// Deadline of what a consumer asks, and what a receive gets on top of its long poll. The client's own default.
const CONSUMER_TIMEOUT_MS = 3_000;
// The client's least request timeout.
const REQUEST_TIMEOUT_MS_MIN = 1_000;

interface SettingsLike {
  getSubscription(): { getFifo(): boolean } | undefined;
  getBackoffPolicy(): { getMaxAttempts(): number } | undefined;
}

interface ConsumerInsides {
  onSettingsCommand(endpoints: unknown, settings: SettingsLike): void;
  /** Unlike `ack`, it hands on what the server said about the one message. */
  ackMessage(view: MessageView): Promise<readonly { readonly status?: { readonly code: number } }[]>;
}

/** Clients of the library, each with a fence around it. */
export function fencedClients(library: ClientLibrary, clock: Clock, options: FencedClientOptions): RocketMqClients {
  const { endpoints, credentials, requestTimeoutMs, debug } = options;
  const write = (...parts: unknown[]): void => debug(format(...parts));
  const base = {
    endpoints,
    namespace: '',
    requestTimeout: Math.max(requestTimeoutMs, REQUEST_TIMEOUT_MS_MIN),
    // Without one the client writes a file of its own under the home folder.
    logger: { debug: () => undefined, info: () => undefined, warn: write, error: write },
    ...(credentials && {
      sessionCredentials: { accessKey: credentials.accessKey, accessSecret: credentials.secretKey },
    }),
  };
  return {
    // More attempts would resend a message of unknown outcome, which makes a duplicate and takes several limits.
    producer: (topic) =>
      new FencedProducer(clock, new library.Producer({ ...base, topics: [topic], maxAttempts: 1 }), topic),
    consumer: (topic, group) => {
      const subscriptions = new Map([[topic, '*']]);
      const polling = { requestTimeout: CONSUMER_TIMEOUT_MS, awaitDuration: LONG_POLL_MS, maxRetryAttempts: 1 };
      const consumer = new library.SimpleConsumer({ ...base, ...polling, consumerGroup: group, subscriptions });
      return new FencedConsumer(clock, consumer, topic);
    },
  };
}

/** Start and stop, the same for both kinds. */
class FencedClient<C extends Producer | SimpleConsumer> implements RocketMqClient {
  private readonly fence: ClientFence;
  private refuse: (error: Error) => void = () => undefined;
  private stopping: Promise<void> | null = null;

  constructor(
    private readonly clock: Clock,
    protected readonly client: C,
  ) {
    this.fence = new ClientFence(client as unknown as ClientInsides, (error) => {
      // A group that does not exist shows here and nowhere else: the client asks again every second, for ever.
      if (isWiring(error)) this.refuse(error);
    });
  }

  async start(): Promise<void> {
    const refused = new Promise<never>((_resolve, reject) => (this.refuse = reject));
    try {
      await Promise.race([this.client.startup(), refused]);
    } finally {
      this.refuse = () => undefined;
    }
  }

  stop(): Promise<void> {
    this.stopping ??= this.stopOnce();
    return this.stopping;
  }

  private async stopOnce(): Promise<void> {
    this.fence.close();
    try {
      await within(this.clock, SHUTDOWN_LIMIT_MS, 'shutting down a RocketMQ client', this.client.shutdown());
    } catch {
      // The server is away or hangs: it will find out by itself.
    } finally {
      this.fence.cut();
    }
  }
}

class FencedProducer extends FencedClient<Producer> implements RocketMqProducer {
  constructor(
    clock: Clock,
    client: Producer,
    private readonly topic: string,
  ) {
    super(clock, client);
  }

  async send({ messageGroup, body, properties }: RocketMqMessage): Promise<void> {
    await this.client.send({ topic: this.topic, messageGroup, body, properties: new Map(properties) });
  }

  probe(): Promise<void> {
    return (this.client as unknown as ClientInsides).updateRoutes();
  }
}

class FencedConsumer extends FencedClient<SimpleConsumer> implements RocketMqConsumer {
  group: GroupSettings | null = null;
  private readonly insides: ConsumerInsides;

  constructor(
    clock: Clock,
    client: SimpleConsumer,
    private readonly topic: string,
  ) {
    super(clock, client);
    this.insides = client as unknown as ConsumerInsides;
    const onSettings = this.insides.onSettingsCommand.bind(client);
    this.insides.onSettingsCommand = (endpoints, settings) => {
      const isFifo = settings.getSubscription()?.getFifo() ?? false;
      this.group = { isFifo, deliveriesMax: settings.getBackoffPolicy()?.getMaxAttempts() ?? 0 };
      onSettings(endpoints, settings);
    };
  }

  async receive(visibilityMs: number): Promise<ReceivedMessage | null> {
    // One at a time: when the first of several is not acknowledged, later ones that were come back with it.
    const [view] = await this.client.receive(1, visibilityMs);
    if (view === undefined) return null;
    // The server takes the namespace off, and an acknowledgement for the bare name is taken in silence and forgotten.
    return Object.assign(view, { topic: this.topic });
  }

  ack(message: ReceivedMessage): Promise<ReceiptAnswer> {
    return answerOf(async () => {
      const [entry] = await this.insides.ackMessage(message as MessageView);
      const code = entry?.status?.code;
      if (code !== OK) throw Object.assign(new Error(`RocketMQ did not take an ack: ${code}`), { code });
    });
  }

  hide(message: ReceivedMessage, ms: number): Promise<ReceiptAnswer> {
    return answerOf(() => this.client.changeInvisibleDuration(message as MessageView, ms));
  }
}

async function answerOf(ask: () => Promise<void>): Promise<ReceiptAnswer> {
  try {
    await ask();
    return 'done';
  } catch (error) {
    if (isReceiptRefused(error)) return 'refused';
    throw error;
  }
}

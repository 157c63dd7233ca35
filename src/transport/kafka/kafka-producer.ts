import type { Clock } from '../../runtime/clock.js';
import { within } from '../../runtime/within.js';
import type { OutgoingMessage } from '../transport.js';
import type { Trouble } from '../trouble.js';
import { connectUntil } from './connect.js';
import type { ClientError, ClientSettings, KafkaClient, NativeProducer } from './kafka-client.js';

export interface KafkaProducerOptions {
  readonly settings: ClientSettings;
  readonly publishTimeoutMs: number;
}

/** One call of `publish`, which the client hands back with the report of each of its messages. */
interface PublishInHand {
  left: number;
  resolve(): void;
  reject(error: Error): void;
}

const FLUSH_LIMIT_MS = 1_000;
const CLOSE_LIMIT_MS = 3_000;

/** No broker has been reached yet, or not again. Nothing was sent. */
export class BrokersAwayError extends Error {
  readonly code = 'TRANSPORT_BROKERS_AWAY';

  constructor(reason: string) {
    super(`no connection to a broker: ${reason}`);
    this.name = 'BrokersAwayError';
  }
}

/**
 * The one producer of the process. The client resends by itself until its message's time is over, and keeps the order of
 * a partition meanwhile; what is left for here is to wait, with a limit, and to begin anew when it has given up on itself.
 */
export class KafkaProducer {
  private native: NativeProducer | null = null;
  private readonly closing = new AbortController();
  private connecting: Promise<void> = Promise.resolve();

  constructor(
    private readonly client: KafkaClient,
    private readonly clock: Clock,
    private readonly trouble: Trouble,
    private readonly options: KafkaProducerOptions,
    /** Called with each new connection. */
    private readonly onConnected: (native: NativeProducer) => void,
  ) {}

  /** The connection, or null while there has been none. It may be broken all the same. */
  get connection(): NativeProducer | null {
    return this.native;
  }

  start(): void {
    this.connecting = this.connect().catch((error: unknown) => {
      if (!this.closing.signal.aborted) this.trouble.failed(error);
    });
  }

  async publish(topic: string, messages: readonly OutgoingMessage[]): Promise<void> {
    const { native } = this;
    if (native === null) throw new BrokersAwayError(this.trouble.state()?.reason ?? 'not connected yet');
    const reports = new Promise<void>((resolve, reject) => {
      const publish: PublishInHand = { left: messages.length, resolve, reject };
      for (const { orderingKey, body } of messages) {
        native.produce(topic, null, Buffer.from(body), Buffer.from(orderingKey), 0, publish);
      }
    });
    try {
      await within(this.clock, this.options.publishTimeoutMs, 'Kafka', reports);
      this.trouble.worked();
    } catch (error) {
      if (!this.isOwnFault(error)) this.trouble.failed(error);
      throw error;
    }
  }

  /** Messages in hand get a moment to be acknowledged. */
  async close(): Promise<void> {
    this.closing.abort(new BrokersAwayError('the transport is closed'));
    await this.connecting;
    const { native } = this;
    this.native = null;
    if (native === null) return;
    const gone = new Promise<void>((resolve) => native.disconnect(FLUSH_LIMIT_MS, resolve));
    await within(this.clock, CLOSE_LIMIT_MS, 'closing the producer', gone).catch(() => undefined);
  }

  private async connect(): Promise<void> {
    const native = await connectUntil(this.clock, this.closing.signal, {
      create: () => this.create(),
      failed: (error) => this.trouble.failed(this.lastError ?? error),
      dispose: discard,
    });
    native.setPollInBackground(true);
    this.native = native;
    this.trouble.worked();
    this.onConnected(native);
  }

  private lastError: ClientError | null = null;

  private create(): NativeProducer {
    const { ALL_BROKERS_DOWN, FATAL } = errorCodes(this.client);
    const native = new this.client.Producer(this.options.settings);
    native.on('delivery-report', (error, { opaque }) => reported(opaque as PublishInHand, error));
    native.on('event.error', (error) => {
      // Names the reason of what follows; alone it is one broker's or one connection's, which the client mends.
      if (error.code !== ALL_BROKERS_DOWN) this.lastError = error;
      else if (native === this.native) this.trouble.failed(this.lastError ?? error);
      if (error.code === FATAL && native === this.native) this.replace(native);
    });
    return native;
  }

  /** An idempotent producer that has lost track of its own numbers refuses everything from then on, for ever. */
  private replace(native: NativeProducer): void {
    this.native = null;
    discard(native);
    this.start();
  }

  /** A message that no broker would take says nothing about the brokers. */
  private isOwnFault(error: unknown): boolean {
    const { MSG_SIZE_TOO_LARGE, INVALID_MSG } = errorCodes(this.client);
    return (
      error instanceof Error && 'code' in error && (error.code === MSG_SIZE_TOO_LARGE || error.code === INVALID_MSG)
    );
  }
}

function reported(publish: PublishInHand, error: ClientError | null): void {
  if (error) return publish.reject(error);
  publish.left -= 1;
  if (publish.left === 0) publish.resolve();
}

function discard(native: NativeProducer): void {
  try {
    native.disconnect(0, () => undefined);
  } catch {
    // It was never connected, and there is nothing to let go of.
  }
}

function errorCodes({ CODES }: KafkaClient): {
  ALL_BROKERS_DOWN: number;
  FATAL: number;
  MSG_SIZE_TOO_LARGE: number;
  INVALID_MSG: number;
} {
  const { ERRORS } = CODES;
  return {
    ALL_BROKERS_DOWN: ERRORS['ERR__ALL_BROKERS_DOWN']!,
    FATAL: ERRORS['ERR__FATAL']!,
    MSG_SIZE_TOO_LARGE: ERRORS['ERR_MSG_SIZE_TOO_LARGE']!,
    INVALID_MSG: ERRORS['ERR_INVALID_MSG']!,
  };
}

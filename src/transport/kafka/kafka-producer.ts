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
  /** Why a connection failed; what the client says last, that no broker is left, names no reason. */
  private lastError: ClientError | null = null;

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
      const code = codeOf(error);
      if (!isOwnFault(this.client, code)) this.trouble.failed(error);
      if (code === this.client.CODES.ERRORS['ERR__FATAL'] && native === this.native) this.replace(native);
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
      look: askForErrors,
      dispose: discard,
    });
    native.setPollInBackground(true);
    this.native = native;
    this.lastError = null;
    this.trouble.worked();
    this.onConnected(native);
  }

  private create(): NativeProducer {
    const native = new this.client.Producer(this.options.settings);
    native.on('delivery-report', (error, { opaque }) => reported(opaque as PublishInHand, error));
    native.on('event.error', (error) => {
      // Names the reason of what follows; alone it is one broker's or one connection's, which the client mends.
      if (!ALL_BROKERS_DOWN.test(error.message)) this.lastError = error;
      else if (native === this.native) this.trouble.failed(this.lastError ?? error);
    });
    return native;
  }

  /** An idempotent producer that has lost track of its own numbers refuses everything from then on, for ever. */
  private replace(native: NativeProducer): void {
    this.native = null;
    discard(native);
    this.start();
  }
}

// Errors that come as events have one code for all; these are the words of the library for ERR__ALL_BROKERS_DOWN.
const ALL_BROKERS_DOWN = /all broker connections are down/i;

function codeOf(error: unknown): unknown {
  return error instanceof Error && 'code' in error ? error.code : null;
}

/** A message that no broker would take says nothing about the brokers. */
function isOwnFault({ CODES: { ERRORS } }: KafkaClient, code: unknown): boolean {
  return code === ERRORS['ERR_MSG_SIZE_TOO_LARGE'] || code === ERRORS['ERR_INVALID_MSG'];
}

function reported(publish: PublishInHand, error: ClientError | null): void {
  if (error) return publish.reject(error);
  publish.left -= 1;
  if (publish.left === 0) publish.resolve();
}

function askForErrors(native: NativeProducer): void {
  try {
    native.poll();
  } catch {
    // Not yet, or no longer: there is nothing to be told.
  }
}

function discard(native: NativeProducer): void {
  try {
    native.disconnect(0, () => undefined);
  } catch {
    // It was never connected, and there is nothing to let go of.
  }
}

import { Server, type CustomTransportStrategy, type MessageHandler } from '@nestjs/microservices';
import { lastValueFrom } from 'rxjs';
import { ConsumerWiringError } from './consumer-wiring-error.js';
import { DeliveryContext } from './delivery-context.js';
import type { Delivery, SubscribeOptions, Subscription, Transport } from './transport.js';

/** `topic` is given where the settings name it and a decorator cannot; otherwise the pattern is the topic. */
export type TopicOptions = Omit<SubscribeOptions, 'topic'> & Partial<Pick<SubscribeOptions, 'topic'>>;

export interface TransportServerOptions {
  /** One entry for each topic that a consumer's `@EventPattern` names. */
  readonly topics: Readonly<Record<string, TopicOptions>>;
  /** How long batches in hand may go on once the server closes. */
  readonly stopLimitMs: number;
}

/**
 * Hands batches of the transport to Nest's consumers (`@EventPattern<string>('<topic>')`). Nest's stock servers settle
 * a message whose handler failed or is missing; this one never settles anything: only the consumer does, per delivery.
 *
 * The transport belongs to whoever made it: closing the server ends the subscriptions, not the transport.
 */
export class TransportServer extends Server implements CustomTransportStrategy {
  /**
   * False: Nest's exceptions layer logs what a consumer throws, and nothing below this class logs it a second time. It
   * stays silent about an `HttpException`, which has no business in a consumer; the batch comes back all the same.
   */
  override readonly propagatesEventHandlerErrors = false;
  private subscriptions: Subscription[] = [];

  constructor(
    private readonly transport: Transport,
    private readonly options: TransportServerOptions,
  ) {
    super();
  }

  /** Nest waits for the callback, not for the promise: an error that does not go through it is lost. */
  override async listen(callback: (error?: unknown) => void): Promise<void> {
    try {
      this.checkWiring();
      for (const [topic, handler] of this.getHandlers()) await this.subscribe(topic, handler);
    } catch (error) {
      await this.close();
      callback(error);
      return;
    }
    callback();
  }

  override async close(): Promise<void> {
    const subscriptions = this.subscriptions;
    this.subscriptions = [];
    await Promise.all(subscriptions.map((subscription) => subscription.stop(this.options.stopLimitMs)));
  }

  /** The port has no connection events: health asks `Transport.trouble`. */
  override on(): never {
    throw new Error('the transport server has no events');
  }

  override unwrap<T>(): T {
    return this.transport as T;
  }

  private checkWiring(): void {
    const handlers = this.getHandlers();
    for (const topic of Object.keys(this.options.topics)) {
      if (!handlers.has(topic)) {
        throw new ConsumerWiringError(topic, `it is subscribed but has no consumer; add @EventPattern('${topic}')`);
      }
    }
    for (const [topic, handler] of handlers) {
      if (!Object.hasOwn(this.options.topics, topic)) {
        throw new ConsumerWiringError(topic, 'it has a consumer but no subscription options');
      }
      if (handler.isEventHandler !== true) {
        throw new ConsumerWiringError(topic, 'its consumer is a @MessagePattern; nobody waits for a reply');
      }
      // Nest calls them side by side with one batch, and both would settle it.
      if (handler.next !== undefined) throw new ConsumerWiringError(topic, 'it has two consumers; keep one');
    }
  }

  private async subscribe(pattern: string, handler: MessageHandler): Promise<void> {
    const options = this.options.topics[pattern]!;
    const topic = options.topic ?? pattern;
    const subscription = await this.transport.subscribe({ ...options, topic }, (batch) =>
      this.consume(handler, batch, new DeliveryContext([topic, options.group])),
    );
    this.subscriptions.push(subscription);
  }

  private consume(handler: MessageHandler, batch: readonly Delivery[], context: DeliveryContext): Promise<void> {
    return new Promise((resolve, reject) => {
      // A hook (a tracer's) need not hand on the promise of what it wraps, so the outcome does not go through it.
      this.onProcessingStartHook(this.transportId!, context, () => {
        const ended = this.run(handler, batch, context);
        ended.then(resolve, reject);
        return ended.catch(() => undefined);
      });
    });
  }

  /**
   * Nest turns what a consumer throws into a stream that fails, with the reason replaced by "Internal server error":
   * the handler's promise itself resolves. So the stream has to be run to its end before anything is known.
   */
  private async run(handler: MessageHandler, batch: readonly Delivery[], context: DeliveryContext): Promise<void> {
    try {
      const result: unknown = await handler(batch, context);
      await lastValueFrom(this.transformToObservable(result), { defaultValue: undefined });
    } finally {
      this.onProcessingEndHook?.(this.transportId!, context);
    }
  }
}

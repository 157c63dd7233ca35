import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { within } from '../runtime/within.js';
import { encodeMessage } from '../transport/message-codec.js';
import type { Message } from '../transport/message.js';
import { Transport } from '../transport/transport.js';
import { NotDurableError } from './callback-errors.js';
import { Spool } from './spool.js';
import type { GuardAnswer, VerifiedCallback } from './verified-callback.js';

/** Makes an event durable: on the transport, else in the spool. */
@Injectable()
export class EventPublisher {
  constructor(
    private readonly transport: Transport,
    private readonly spool: Spool,
    private readonly clock: Clock,
    private readonly log: Log,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  /** Resolves when the event survives this process. Rejects with `NotDurableError`: it may still have been written. */
  async publish(callback: VerifiedCallback, guard: GuardAnswer): Promise<'published' | 'spooled'> {
    const orderingKey = callback.entityKey ?? callback.eventKey;
    // While the spool holds anything, every new event goes behind it: overtaking would turn the order of an entity.
    if (!this.spool.isHolding()) {
      try {
        const body = encodeMessage(this.message(callback, guard, null));
        const publishing = this.transport.publish(this.config.eventsTopic, [{ orderingKey, body }]);
        await within(this.clock, callback.budget.publishMs, 'publish', publishing);
        return 'published';
      } catch (error) {
        // The outcome is unknown: it may have been written, and the copy from the spool is shed by the event's row.
        this.log.warn('event.publish_failed', { eventKey: callback.eventKey, error: String(error) });
      }
    }
    const body = encodeMessage(this.message(callback, guard, this.clock.now()));
    try {
      const spooling = this.spool.append({ topic: this.config.eventsTopic, orderingKey, body });
      await within(this.clock, callback.budget.spoolMs, 'spool', spooling);
      return 'spooled';
    } catch (cause) {
      throw new NotDurableError(callback.app, callback.eventKey, { cause });
    }
  }

  private message(callback: VerifiedCallback, guard: GuardAnswer, spooledSince: number | null): Message {
    const { event } = callback;
    return {
      v: 1,
      eventKey: callback.eventKey,
      app: callback.app.name,
      corpId: callback.corpId,
      eventType: callback.eventType,
      changeType: event?.changeType ?? null,
      entityKey: callback.entityKey,
      msgId: event?.msgId ?? null,
      createTime: event?.createTime ?? null,
      plaintext: callback.plaintext,
      payloadKeyId: null,
      trace: callback.trace,
      gateway: {
        ...{ receivedAt: callback.receivedAt, instance: this.config.instance, guard, spooledSince },
        keyPair: callback.keyPair,
      },
    };
  }
}

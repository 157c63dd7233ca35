import { Inject, Injectable, type CanActivate, type ExecutionContext } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { EntityKeyFailedError, EntityTypeRegistry } from '../entity-types/entity-type-registry.js';
import { Clock } from '../runtime/clock.js';
import type { WecomEvent } from '../wecom/event.js';
import { eventKey } from '../wecom/event-key.js';
import { parseEvent, UNPARSED_EVENT_TYPE } from '../wecom/parse-event.js';
import { CallbackOpener, type Query } from './callback-opener.js';
import { requestBudget } from './request-budget.js';
import type { CallbackRequest } from './verified-callback.js';

const TRACE_PARENT = /^[0-9a-f]{2}-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/;

// Ten digits until the year 2286; anything else is signed all the same and no reason to refuse.
const UNIX_SECONDS = /^\d{1,10}$/;

/** First step of the walk: verify, decrypt, parse, event key. What passes it is WeCom's. */
@Injectable()
export class SignatureGuard implements CanActivate {
  constructor(
    private readonly opener: CallbackOpener,
    private readonly entityTypes: EntityTypeRegistry,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  canActivate(context: ExecutionContext): boolean {
    const request = context.switchToHttp().getRequest<CallbackRequest>();
    const receivedAt = this.clock.now();
    const app = this.opener.app(request.params.app);
    const { plaintext, receiveId, keyPair } = this.opener.openBody(app, request.query as Query, request.body);
    const parsed = parseEvent(plaintext, receiveId);
    const event = parsed.kind === 'event' ? parsed.event : null;
    const type = event && this.entityTypes.typeOf(event.eventType, event.changeType);
    const key = eventKey({ receiver: app.name, parsed, receiveId, plaintext, volatile: type?.volatile ?? [] });
    const traceparent = request.headers['traceparent'];
    request.callback = {
      app,
      plaintext,
      corpId: event?.corpId ?? receiveId,
      eventType: event?.eventType ?? UNPARSED_EVENT_TYPE,
      event,
      eventKey: key,
      entityKey: event && this.entityKey(app.name, event),
      keyPair,
      receivedAt,
      sentAt: secondsOf(request.query as Query),
      trace: typeof traceparent === 'string' && TRACE_PARENT.test(traceparent) ? traceparent : null,
      budget: requestBudget(app.deadlineMs, this.config),
    };
    return true;
  }

  /** An event whose entity cannot be told is queued all the same; the worker makes a dead letter of it. */
  private entityKey(app: string, event: WecomEvent): string | null {
    try {
      return this.entityTypes.entityOf(app, event)?.key ?? null;
    } catch (error) {
      if (error instanceof EntityKeyFailedError) return null;
      throw error;
    }
  }
}

function secondsOf({ timestamp }: Query): number | null {
  return typeof timestamp === 'string' && UNIX_SECONDS.test(timestamp) ? Number(timestamp) : null;
}

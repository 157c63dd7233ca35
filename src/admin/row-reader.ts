import { Injectable } from '@nestjs/common';
import { EntityTypeRegistry, type EntityOfEvent } from '../entity-types/entity-type-registry.js';
import type { EventRow } from '../event-log/event-log.js';
import { HandlerRegistry, type RegisteredHandler } from '../handlers/handler-registry.js';
import type { WecomEvent } from '../wecom/event.js';
import { parseEvent } from '../wecom/parse-event.js';

/** What a worker would make of a row's text. */
export interface ReadRow {
  readonly event: WecomEvent | null;
  /** Why it cannot be run; null when it can. */
  readonly defect: string | null;
  readonly entity: EntityOfEvent | null;
  readonly handler: RegisteredHandler | null;
}

const NOTHING: ReadRow = { event: null, defect: null, entity: null, handler: null };

@Injectable()
export class RowReader {
  constructor(
    private readonly entityTypes: EntityTypeRegistry,
    private readonly handlers: HandlerRegistry,
  ) {}

  read(row: EventRow | null): ReadRow {
    if (!row) return NOTHING;
    // A foreign record has no receiver, and stays what it is.
    if (row.app === '') return { ...NOTHING, defect: 'not a message of this service' };
    const parsed = parseEvent(row.plaintext, row.corpId);
    if (parsed.kind !== 'event') return { ...NOTHING, defect: `the text does not parse: ${parsed.reason}` };
    const { event } = parsed;
    try {
      const entity = this.entityTypes.entityOf(row.app, event);
      return { event, defect: null, entity, handler: this.handlers.handlerOf(event.eventType, event.changeType) };
    } catch (error) {
      return { ...NOTHING, defect: error instanceof Error ? error.message : String(error) };
    }
  }
}

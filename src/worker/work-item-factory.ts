import { Injectable } from '@nestjs/common';
import { EntityKeyFailedError, EntityTypeRegistry, type EntityOfEvent } from '../entity-types/entity-type-registry.js';
import { versionOf, type EventIdentity, type EventRow } from '../event-log/event-log.js';
import { HandlerRegistry } from '../handlers/handler-registry.js';
import { foreignKey } from '../transport/message-codec.js';
import type { Message } from '../transport/message.js';
import type { Delivery } from '../transport/transport.js';
import type { WecomEvent } from '../wecom/event.js';
import { parseEvent, UNPARSED_EVENT_TYPE } from '../wecom/parse-event.js';
import { wecomIdsOf } from '../wecom/wecom-ids.js';
import type { Origin, WorkItem } from './work-item.js';

/** Turns messages, rows and foreign records into work items. */
@Injectable()
export class WorkItemFactory {
  constructor(
    private readonly entityTypes: EntityTypeRegistry,
    private readonly handlers: HandlerRegistry,
  ) {}

  fromMessage(delivery: Delivery, message: Message): WorkItem {
    const { app, corpId, eventType, eventKey, changeType, msgId, createTime, plaintext, gateway, trace } = message;
    const facts = JSON.stringify({ ...gateway, trace, position: delivery.position });
    const receivedAt = gateway.receivedAt;
    const identity = { app, corpId, eventType, eventKey, changeType, msgId, createTime, plaintext, receivedAt, facts };
    return this.item({ kind: 'message', delivery }, { ...identity, entityKey: message.entityKey });
  }

  fromRow(row: EventRow): WorkItem {
    const origin: Origin = { kind: 'row', row, version: versionOf(row) };
    // A foreign record has no receiver. Redriven, it stays what it is, though its text may look like WeCom's.
    return row.app === '' ? foreign(origin, row, 'redriven as it is') : this.item(origin, row);
  }

  /** A record on our topic that is no message: kept as it is, as a dead letter. */
  fromForeign(delivery: Delivery, reason: string, now: number): WorkItem {
    const identity: EventIdentity = {
      ...{ app: '', corpId: '', eventType: UNPARSED_EVENT_TYPE, eventKey: foreignKey(delivery.body) },
      ...{ changeType: null, entityKey: null, msgId: null, createTime: null, plaintext: delivery.body },
      ...{ receivedAt: now, facts: JSON.stringify({ position: delivery.position }) },
    };
    return foreign({ kind: 'message', delivery }, identity, reason);
  }

  private item(origin: Origin, identity: EventIdentity): WorkItem {
    const parsed = parseEvent(identity.plaintext, identity.corpId);
    if (parsed.kind === 'unparsed') {
      const defect = { code: 'EVENT_UNPARSED', reason: `the text does not parse: ${parsed.reason}` };
      return { origin, identity, event: null, defect, entity: null, handler: null };
    }
    const { event } = parsed;
    const entity = this.entity(identity.app, event);
    if (entity instanceof EntityKeyFailedError) {
      const defect = { code: entity.code, reason: entity.message };
      return { origin, identity, event: null, defect, entity: null, handler: null };
    }
    const handler = this.handlers.handlerOf(event.eventType, event.changeType);
    const known = { ...identity, entityKey: entity?.key ?? null, wecomIds: wecomIdsOf(event) };
    return { origin, identity: known, event, defect: null, entity, handler };
  }

  private entity(app: string, event: WecomEvent): EntityOfEvent | EntityKeyFailedError | null {
    try {
      return this.entityTypes.entityOf(app, event);
    } catch (error) {
      if (error instanceof EntityKeyFailedError) return error;
      throw error;
    }
  }
}

function foreign(origin: Origin, identity: EventIdentity, reason: string): WorkItem {
  const defect = { code: 'RECORD_FOREIGN', reason: `not a message of this service: ${reason}` };
  return { origin, identity, event: null, defect, entity: null, handler: null };
}

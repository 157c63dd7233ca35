import { BUILT_IN_ENTITY_TYPES } from '../entity-types/built-in.js';
import { EntityTypeRegistry } from '../entity-types/entity-type-registry.js';
import { eventKey } from '../wecom/event-key.js';
import { parseEvent } from '../wecom/parse-event.js';

export interface SimulatedEvent {
  readonly plaintext: string;
  readonly eventKey: string;
  /** Null when the event belongs to no built-in entity type. */
  readonly entityKey: string | null;
  readonly rank: number;
  readonly createTime: number | null;
}

const registry = new EntityTypeRegistry(BUILT_IN_ENTITY_TYPES);

/** Works out here what the service has to make of a plaintext: the audit asks for it by these keys. */
export function identifyEvent(plaintext: string, receiver: string, receiveId: string): SimulatedEvent {
  const parsed = parseEvent(plaintext, receiveId);
  if (parsed.kind !== 'event') throw new TypeError(`the simulator wrote a text that does not parse: ${parsed.reason}`);
  const { event } = parsed;
  const volatile = registry.typeOf(event.eventType, event.changeType)?.volatile ?? [];
  const entity = registry.entityOf(receiver, event);
  return {
    plaintext,
    eventKey: eventKey({ receiver, parsed, receiveId, plaintext, volatile }),
    entityKey: entity?.key ?? null,
    rank: entity?.type.rank(event) ?? 0,
    createTime: event.createTime,
  };
}

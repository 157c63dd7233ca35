import type { WecomEvent } from '../wecom/event.js';
import { entityKeyOf, type EntityRef } from './entity-ref.js';
import type { EntityType, OtherEntity } from './entity-type.js';

export interface OtherOfEvent {
  readonly ref: EntityRef;
  readonly key: string;
  readonly rank: number;
}

export interface EntityOfEvent {
  readonly type: EntityType;
  readonly ref: EntityRef;
  readonly key: string;
  /** Further entities that the event moves, each once, without the first. */
  readonly others: readonly OtherOfEvent[];
}

/** Finds the entity type of an event. A declaration that collides with another stops the start. */
export class EntityTypeRegistry {
  private readonly byEvent = new Map<string, EntityType>();

  constructor(types: readonly EntityType[]) {
    const names = new Set<string>();
    for (const type of types) {
      if (names.has(type.name)) throw new EntityTypeConflictError(`two entity types are named ${type.name}`);
      names.add(type.name);
      for (const event of type.events) this.add(event, type);
    }
  }

  /** A type for `event/changeType` goes before one for the whole `event`. */
  typeOf(eventType: string, changeType: string | null): EntityType | null {
    const exact = changeType === null ? undefined : this.byEvent.get(`${eventType}/${changeType}`);
    return exact ?? this.byEvent.get(eventType) ?? null;
  }

  /** Null when the event belongs to none. Throws `EntityKeyFailedError` when the declaration's own code does. */
  entityOf(receiver: string, event: WecomEvent): EntityOfEvent | null {
    const type = this.typeOf(event.eventType, event.changeType);
    const ids = type && idsOf(type, event);
    if (!type || !ids?.first) return null;
    const keyed = (entityId: string): { ref: EntityRef; key: string } => {
      const ref = { receiver, corpId: event.corpId, entityType: type.name, entityId };
      return { ref, key: entityKeyOf(ref) };
    };
    const others = new Map(ids.others.map(({ id, rank }) => [id, { ...keyed(id), rank }]));
    others.delete(ids.first);
    return { type, ...keyed(ids.first), others: [...others.values()] };
  }

  private add(event: string, type: EntityType): void {
    const other = this.byEvent.get(event);
    if (other) throw new EntityTypeConflictError(`${event} belongs to both ${other.name} and ${type.name}`);
    this.byEvent.set(event, type);
  }
}

function idsOf(type: EntityType, event: WecomEvent): { first: string | null; others: readonly OtherEntity[] } {
  try {
    return { first: type.entityKey(event), others: type.others(event) };
  } catch (cause) {
    throw new EntityKeyFailedError(type.name, { cause });
  }
}

/** A declaration could not tell the entity of an event: running it without its order would be a wrong turn. */
export class EntityKeyFailedError extends Error {
  readonly code = 'ENTITY_KEY_FAILED';

  constructor(entityType: string, options: { cause: unknown }) {
    super(`the entity key of ${entityType} could not be told`, options);
    this.name = 'EntityKeyFailedError';
  }
}

export class EntityTypeConflictError extends Error {
  readonly code = 'ENTITY_TYPE_CONFLICT';

  constructor(reason: string) {
    super(`${reason}: mend the entityTypes given to WecomGatewayModule.forRoot`);
    this.name = 'EntityTypeConflictError';
  }
}

import type { WecomEvent } from '../wecom/event.js';

export type EntityOrder =
  /** Default; for events that carry a change: decided only when every earlier one of the entity has an outcome. */
  | 'strict'
  /** For events that carry the whole state: nothing waits, the older one ends STALE. */
  | 'latest';

/** A further object that an event moves, with the rank that the event has there. */
export interface OtherEntity {
  readonly id: string;
  readonly rank: number;
}

/**
 * How the events of one kind of business object are ordered (protocol.md, "Order"). A pure declaration, loaded by every
 * role: the gateway needs the entity key and has no handlers.
 */
export interface EntityType {
  readonly name: string;
  /** `event` or `event/changeType`, as WeCom spells them. */
  readonly events: readonly string[];
  /** The object's id inside receiver and corp; null when the event names none (it then belongs to no entity). */
  readonly entityKey: (event: WecomEvent) => string | null;
  readonly order: EntityOrder;
  /** Decides between events of one second: the lower one is STALE. */
  readonly rank: (event: WecomEvent) => number;
  /**
   * Further objects of this type that the event moves: a rename touches the old id and the new one. The event is ordered
   * by the first object alone; each further one is locked with it, and moved unless it has seen something newer.
   */
  readonly others: (event: WecomEvent) => readonly OtherEntity[];
  /**
   * True when two ranks in one second cannot be told apart by rank alone (an adding and an ending kind where states
   * recur). A re-read settles it; where there is none, the rank decides and the entity is marked unconfirmed.
   */
  readonly ambiguous: (rank: number, lastRank: number) => boolean;
  /** Dot paths of fields that differ between deliveries of one event, and so are no part of its identity. */
  readonly volatile: readonly string[];
  /** Milliseconds after CreateTime when the event is worth nothing any more (EXPIRED); null: never. */
  readonly deadlineMs: number | null;
}

export type EntityTypeOptions = Pick<EntityType, 'name' | 'events' | 'entityKey'> & Partial<EntityType>;

/** Fills in the defaults: strict order, one rank, nothing volatile, no deadline. */
export function defineEntityType(options: EntityTypeOptions): EntityType {
  return {
    order: 'strict',
    rank: () => 0,
    others: () => [],
    ambiguous: () => false,
    volatile: [],
    deadlineMs: null,
    ...options,
  };
}

import type { EntityOfEvent } from '../entity-types/entity-type-registry.js';
import type { EventIdentity, EventRow, RowVersion } from '../event-log/event-log.js';
import type { RegisteredHandler } from '../handlers/handler-registry.js';
import type { HeldLease } from '../idempotency/event-leases.js';
import type { Finding } from '../saga/state-machine.js';
import type { Delivery } from '../transport/transport.js';
import type { WecomEvent } from '../wecom/event.js';

/** Why an event cannot be run at all, known before its handler. */
export interface Defect {
  readonly code: string;
  readonly reason: string;
}

export type Origin =
  | { readonly kind: 'message'; readonly delivery: Delivery }
  | { readonly kind: 'row'; readonly row: EventRow; readonly version: RowVersion };

/** One event in a worker's hand, from a message or from its waiting row. */
export interface WorkItem {
  readonly origin: Origin;
  readonly identity: EventIdentity;
  /** Null when the plaintext does not parse; `defect` then says why. */
  readonly event: WecomEvent | null;
  readonly defect: Defect | null;
  readonly entity: EntityOfEvent | null;
  readonly handler: RegisteredHandler | null;
}

/** A work item whose lease is held, or which runs without one because the guard is down. */
export interface LeasedItem extends WorkItem {
  readonly lease: HeldLease;
  /** Aborts a run from a row when the process stops and cannot wait for it; a message has its lane's signal. */
  readonly stop?: AbortSignal;
  /** True when WeCom's API refused to be asked: the rank decides. */
  readonly rereadRefused?: true;
  /** What it answered, and the entity's version read before the question. */
  readonly reread?: { readonly version: number; readonly finding: Finding };
}

/** Key of a strict entity, whose events wait for each other; null for all other items. */
export function strictKeyOf(item: WorkItem): string | null {
  return item.entity?.type.order === 'strict' ? item.entity.key : null;
}

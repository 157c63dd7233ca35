import { decodeMessage } from '../../../src/transport/message-codec.js';
import { BUILT_IN_ENTITY_TYPES } from '../../../src/entity-types/built-in.js';
import { OUTCOMES } from '../../../src/event-log/status.js';
import type { Change } from '../database/transaction.js';
import type { StoredMessage } from '../ports/broker.js';
import { Check, type Answered, type View } from './check.js';

const STRICT = new Set(BUILT_IN_ENTITY_TYPES.filter(({ order }) => order === 'strict').map(({ name }) => name));

interface Place {
  readonly offset: number;
  readonly entityKey: string | null;
}

/**
 * I4, the other half: a strict entity's events are decided in the order of the transport, and one gateway's events of an
 * entity stand there in the order in which it took them. An operator may discard out of order.
 */
export class TransportOrder extends Check {
  private readonly places = new Map<string, Place>();
  private readonly decided = new Map<string, number>();
  /** What a gateway made durable last, by entity, for those that have not been seen on the transport yet. */
  private readonly taken: {
    readonly gateway: string;
    readonly at: number;
    readonly receivedAt: number;
    readonly eventKey: string;
  }[] = [];

  constructor() {
    super('I4 events of a strict entity are decided in transport order');
  }

  override onPublish({ topic, offset, body }: StoredMessage): void {
    const decoded = topic === 'events' ? decodeMessage(body) : null;
    if (decoded?.kind !== 'message') return;
    const { eventKey, entityKey, gateway } = decoded.message;
    // Also by who took it: another gateway's copy may be there before this one's.
    for (const key of [eventKey, `${gateway.instance} ${eventKey}`])
      if (!this.places.has(key)) this.places.set(key, { offset, entityKey });
  }

  override onAnswered({ gateway, receivedAt, how, eventKey }: Answered, { now }: View): void {
    if (how !== 'duplicate') this.taken.push({ gateway, at: now, receivedAt, eventKey });
  }

  override onCommit(changes: readonly Change[], view: View): void {
    if (view.isOrderMixed) return;
    for (const { table, before, after } of changes) {
      if (table !== 'event_log' || after === null || after['status'] === 'DISCARDED') continue;
      if (!isOutcome(after['status']) || (before !== null && isOutcome(before['status']))) continue;
      const [key, entityKey] = [String(after['msg_id_or_hash']), after['entity_key']];
      if (typeof entityKey !== 'string' || !STRICT.has(entityKey.split('/')[2] ?? '')) continue;
      const offset = this.places.get(key)?.offset ?? -1;
      const last = this.decided.get(entityKey) ?? -1;
      if (offset < last) this.violate(`${entityKey}: @${offset} was decided after @${last}`);
      this.decided.set(entityKey, Math.max(last, offset));
    }
  }

  override atEnd(): void {
    for (const [index, later] of this.taken.entries()) {
      for (const earlier of this.taken.slice(0, index)) {
        // Only what was answered before the other one came has an order at all.
        if (earlier.gateway !== later.gateway || earlier.at >= later.receivedAt) continue;
        const [one, other] = [earlier, later].map(({ gateway, eventKey }) => this.places.get(`${gateway} ${eventKey}`));
        if (!one || !other || one.entityKey === null || one.entityKey !== other.entityKey) continue;
        if (one.offset > other.offset)
          this.violate(`${later.gateway} took @${one.offset} before @${other.offset} of ${one.entityKey}`);
      }
    }
  }
}

function isOutcome(status: unknown): boolean {
  return (OUTCOMES as readonly unknown[]).includes(status);
}

import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import type { EventStatus } from '../event-log/event-log.js';
import { Clock } from '../runtime/clock.js';
import type { DecisionView, TailItemView, TailView } from './history-view.js';
import { settledPrefix } from './settled-prefix.js';

interface RawDecision {
  readonly id: number;
  readonly event_key: string;
  readonly at: number;
  readonly actor: string;
  readonly instance: string;
  readonly decision: EventStatus | 'DUPLICATE';
  readonly reason: string;
  readonly generation: number;
  readonly attempt: number;
  readonly event_id: number | null;
  readonly app: string | null;
  readonly event_type: string | null;
  readonly change_type: string | null;
  readonly entity_key: string | null;
}

const COLUMNS = `h.id, h.event_key, h.at, h.actor, h.instance, h.decision, h.reason, h.generation, h.attempt,
  e.id AS event_id, e.app, e.event_type, e.change_type, e.entity_key`;
const ENTITY_DECISIONS_MAX = 1_000;

/** Decisions in the order in which they were made: as they come, or those of one entity. The SQL is portable. */
@Injectable()
export class DecisionTail {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  /** What comes after `afterId`; without it, the newest. Polled: nothing is passed over. */
  async after(afterId: number | undefined, limit: number): Promise<TailView> {
    if (afterId === undefined) return this.newest(limit);
    const rows = await this.rows(
      `SELECT ${COLUMNS} FROM event_history h LEFT JOIN event_log e ON e.msg_id_or_hash = h.event_key
       WHERE h.id > ? ORDER BY h.id LIMIT ?`,
      [afterId, limit],
    );
    const items = settledPrefix(rows.map(itemFrom), afterId, this.clock.now());
    return { items: [...items], lastId: items.at(-1)?.id ?? afterId };
  }

  /** All that happened to the events of an entity, oldest first; refused and stale ones with their reasons too. */
  async ofEntity(entityKey: string): Promise<TailItemView[]> {
    const rows = await this.rows(
      `SELECT ${COLUMNS} FROM event_log e JOIN event_history h ON h.event_key = e.msg_id_or_hash
       WHERE e.entity_key = ? ORDER BY h.id DESC LIMIT ?`,
      [entityKey, ENTITY_DECISIONS_MAX],
    );
    return rows.map(itemFrom).reverse();
  }

  private async newest(limit: number): Promise<TailView> {
    const rows = await this.rows(
      `SELECT ${COLUMNS} FROM event_history h LEFT JOIN event_log e ON e.msg_id_or_hash = h.event_key
       ORDER BY h.id DESC LIMIT ?`,
      [limit],
    );
    const items = rows.map(itemFrom).reverse();
    const told = settledPrefix(items, (items[0]?.id ?? 1) - 1, this.clock.now());
    return { items: [...told], lastId: told.at(-1)?.id ?? (items[0]?.id ?? 1) - 1 };
  }

  private rows(sql: string, values: readonly unknown[]): Promise<RawDecision[]> {
    return this.unitOfWork.read(({ manager }) => manager.query<RawDecision[]>(sql, [...values]));
  }
}

function itemFrom(raw: RawDecision): TailItemView {
  const { id, app, at, actor, instance, decision, reason, generation, attempt } = raw;
  const made: DecisionView = { eventKey: raw.event_key, at, actor, instance, decision, reason, generation, attempt };
  const event = { app, eventType: raw.event_type, changeType: raw.change_type, entityKey: raw.entity_key };
  return { id, ...made, eventId: raw.event_id, ...event };
}

import type { EventRow, EventStatus } from '../event-log/event-log.js';
import { OUTCOMES, WAITING } from '../event-log/status.js';
import { entityRefOf } from './entity-address.js';
import { shown } from './view-fields.js';

export const STATUSES = [...OUTCOMES, ...WAITING];

/** An event as the admin API shows it; the plaintext only where it is asked for. */
export class EventView {
  @shown.integer()
  id!: number;

  @shown.text({ description: 'The idempotency key' })
  eventKey!: string;

  @shown.text({ description: 'Name of the app whose URL was called; empty for a foreign record' })
  app!: string;

  @shown.text()
  corpId!: string;

  @shown.text()
  eventType!: string;

  @shown.text({ nullable: true })
  changeType!: string | null;

  @shown.text({ nullable: true })
  entityKey!: string | null;

  @shown.text({ nullable: true, description: 'The entity key in base64url, for paths' })
  entityRef!: string | null;

  @shown.text({ nullable: true })
  msgId!: string | null;

  @shown.integer({ nullable: true, description: 'Seconds since 1970, as WeCom sent it' })
  createTime!: number | null;

  @shown.one(STATUSES)
  status!: EventStatus;

  @shown.integer({ description: 'Grows with each redrive' })
  generation!: number;

  @shown.integer({ description: 'Runs begun in this generation' })
  attempt!: number;

  @shown.integer({ nullable: true, description: 'Place in the line of a strict entity' })
  laneSeq!: number | null;

  @shown.time({ nullable: true, description: 'When it runs next' })
  dueAt!: number | null;

  @shown.time({ description: 'When the callback arrived' })
  receivedAt!: number;

  @shown.time({ description: 'When its row was written last' })
  decidedAt!: number;

  @shown.text({ nullable: true })
  errorCode!: string | null;

  @shown.text({ nullable: true })
  errorMessage!: string | null;

  @shown.text({ nullable: true, description: 'What failures of one cause have in common' })
  errorGroup!: string | null;

  @shown.anything({
    description:
      'What the gateway saw: receivedAt, instance, guard, spooledSince, keyPair, trace, position on the transport',
  })
  gateway!: object;
}

export class EventDetailView extends EventView {
  @shown.text({ nullable: true, description: 'Decrypted; null without the permission payload, or with payload=false' })
  plaintext!: string | null;
}

export class EventPageView {
  @shown.list(() => EventView)
  items!: EventView[];

  @shown.text({ nullable: true, description: 'Give it as `after` to get the next page; null at the end' })
  next!: string | null;

  @shown.flag({ description: 'Fewer than asked for, since it looked long enough: go on with `next`' })
  isPartial!: boolean;
}

export class EventListView {
  @shown.list(() => EventView)
  items!: EventView[];
}

export function eventView(row: EventRow): EventView {
  const { plaintext: _plaintext, facts, runToken: _runToken, wecomIds: _ids, ...shownOf } = row;
  const entityRef = row.entityKey === null ? null : entityRefOf(row.entityKey);
  return { ...shownOf, entityRef, gateway: factsOf(facts) };
}

/** Whoever wrote the row: a page must not fail for one that cannot be read. */
function factsOf(facts: string): object {
  try {
    const value: unknown = JSON.parse(facts);
    return typeof value === 'object' && value !== null ? value : {};
  } catch {
    return {};
  }
}

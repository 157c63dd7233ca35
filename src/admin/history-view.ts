import type { EventStatus } from '../event-log/event-log.js';
import { STATUSES } from './event-view.js';
import { shown } from './view-fields.js';

export class DecisionView {
  @shown.text()
  eventKey!: string;

  @shown.time()
  at!: number;

  @shown.text({ description: 'worker, retry, or the name of an operator' })
  actor!: string;

  @shown.text({ description: 'The process' })
  instance!: string;

  @shown.one([...STATUSES, 'DUPLICATE'])
  decision!: EventStatus | 'DUPLICATE';

  @shown.text()
  reason!: string;

  @shown.integer()
  generation!: number;

  @shown.integer()
  attempt!: number;
}

export class HistoryView {
  @shown.anything({ description: 'What the gateway saw' })
  gateway!: object;

  @shown.list(() => DecisionView, { description: 'Oldest first, the first 1,000' })
  items!: DecisionView[];
}

export class TailItemView extends DecisionView {
  @shown.integer({ description: 'Grows with each decision' })
  id!: number;

  @shown.integer({ nullable: true, description: 'Null when the event was purged' })
  eventId!: number | null;

  @shown.text({ nullable: true })
  app!: string | null;

  @shown.text({ nullable: true })
  eventType!: string | null;

  @shown.text({ nullable: true })
  changeType!: string | null;

  @shown.text({ nullable: true })
  entityKey!: string | null;
}

export class TailView {
  @shown.list(() => TailItemView, { description: 'Decisions, oldest first' })
  items!: TailItemView[];

  @shown.integer({ description: 'Give it as `afterId` to get what comes later' })
  lastId!: number;
}

import { ITEM_RESULTS, type ItemResultName } from './dead-letter-service.js';
import { STATUSES } from './event-view.js';
import type { EventStatus } from '../event-log/event-log.js';
import { shown } from './view-fields.js';

export class ItemResultView {
  @shown.integer()
  id!: number;

  @shown.one(ITEM_RESULTS)
  result!: ItemResultName;

  @shown.one(STATUSES, { nullable: true, description: 'What the row says now; its outcome is what it says later' })
  status!: EventStatus | null;

  @shown.integer({ nullable: true })
  generation!: number | null;

  @shown.text()
  reason!: string;
}

export class ItemResultsView {
  @shown.list(() => ItemResultView)
  items!: ItemResultView[];
}

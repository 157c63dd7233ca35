import type { EventPage } from './event-search.js';
import { eventView, type EventPageView } from './event-view.js';
import { encodePosition } from './position.js';

export function pageView({ rows, next, isPartial }: EventPage): EventPageView {
  return { items: rows.map(eventView), next: next && encodePosition(next), isPartial };
}

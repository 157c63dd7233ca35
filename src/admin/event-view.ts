import type { EventRow } from '../event-log/event-log.js';

/** An event as the admin API shows it; the plaintext only where it is asked for. */
export type EventView = Omit<EventRow, 'plaintext' | 'facts' | 'runToken'> & { readonly gateway: unknown };

export function eventView({ plaintext: _plaintext, facts, runToken: _runToken, ...row }: EventRow): EventView {
  return { ...row, gateway: JSON.parse(facts) };
}

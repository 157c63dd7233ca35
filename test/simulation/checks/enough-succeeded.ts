import { Check, type View } from './check.js';

const ACCEPTED_SHARE_MIN = 0.5;
const DECIDED_SHARE_MIN = 0.4;
/** In a short history the handlers that fail on purpose may have met most of what there was (seed 3442: 4 of 6). */
const BAD_LUCK_MAX = 2;

/** A run in which hardly anything works shows nothing. */
export class EnoughSucceeded extends Check {
  constructor() {
    super('enough succeeded');
  }

  override atEnd(view: View): void {
    const accepted = view.events.filter(({ acceptedAt }) => acceptedAt !== null).length;
    const share = accepted / Math.max(1, view.events.length);
    if (share < ACCEPTED_SHARE_MIN) this.violate(`only ${accepted} of ${view.events.length} events were accepted`);
    const decided = view.rows('event_log').filter(({ status }) => status === 'APPLIED' || status === 'STALE').length;
    if (decided + BAD_LUCK_MAX < accepted * DECIDED_SHARE_MIN)
      this.violate(`only ${decided} of ${accepted} accepted events were applied`);
  }
}

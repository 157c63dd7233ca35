import { Check, type View } from './check.js';

const ACCEPTED_SHARE_MIN = 0.5;
const DECIDED_SHARE_MIN = 0.4;
/**
 * In a short history faults may have met most of what there was: handlers that fail on purpose 4 of 6 events (seed 3442),
 * gateways that were away 7 of 11 (seed 9171).
 */
const BAD_LUCK_MAX = 2;

/** A run in which hardly anything works shows nothing. */
export class EnoughSucceeded extends Check {
  constructor() {
    super('enough succeeded');
  }

  override atEnd(view: View): void {
    const accepted = view.events.filter(({ acceptedAt }) => acceptedAt !== null).length;
    if (accepted === 0 || accepted + BAD_LUCK_MAX < view.events.length * ACCEPTED_SHARE_MIN)
      this.violate(`only ${accepted} of ${view.events.length} events were accepted`);
    const decided = view.rows('event_log').filter(({ status }) => status === 'APPLIED' || status === 'STALE').length;
    if (decided + BAD_LUCK_MAX < accepted * DECIDED_SHARE_MIN)
      this.violate(`only ${decided} of ${accepted} accepted events were applied`);
  }
}

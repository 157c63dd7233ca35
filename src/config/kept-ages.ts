const DAY_MS = 86_400_000;

/** Beyond the transport's retention: the time in which an operator may set a consumer group back, or a spool may drain. */
export const KEPT_MARGIN_DAYS = 7;

/** How long rows are kept after their last change, in milliseconds; null: for ever. */
export interface KeptAges {
  /** Rows of `event_log` with an outcome. */
  readonly eventsMs: number | null;
  readonly historyMs: number | null;
  readonly changesMs: number | null;
  readonly auditMs: number | null;
}

export interface KeptDays {
  readonly retentionDays: number;
  /** Undefined: as the protocol asks at least. 0: for ever. */
  readonly eventsDays: number | undefined;
  /** Undefined: as long as events. */
  readonly historyDays: number | undefined;
  readonly changesDays: number;
  readonly auditDays: number;
  readonly successTtlMs: number;
}

export function keptAges(days: KeptDays): KeptAges {
  const eventsDays = eventsDaysOf(days);
  return {
    eventsMs: ageMs(eventsDays),
    historyMs: ageMs(days.historyDays ?? eventsDays),
    changesMs: ageMs(days.changesDays),
    auditMs: ageMs(days.auditDays),
  };
}

/**
 * A row with an outcome is wall 3 for as long as its event may be delivered again, and what the guard's SUCCESS stands
 * for. A message that comes later than the purge would find neither, and run once more.
 */
export function keptFaults(days: KeptDays): string[] {
  const eventsDays = eventsDaysOf(days);
  if (eventsDays === 0) return [];
  const faults: string[] = [];
  const least = leastDays(days);
  if (eventsDays < least) {
    const rule = `must be 0 or at least TRANSPORT_RETENTION_DAYS + ${KEPT_MARGIN_DAYS} (${least})`;
    faults.push(`EVENTS_KEPT_DAYS: ${rule}, or an event delivered again is applied again`);
  }
  if (eventsDays * DAY_MS < days.successTtlMs)
    faults.push('EVENTS_KEPT_DAYS: must be 0 or not shorter than SUCCESS_TTL, which stands for the row');
  return faults;
}

function eventsDaysOf(days: KeptDays): number {
  return days.eventsDays ?? Math.max(leastDays(days), Math.ceil(days.successTtlMs / DAY_MS));
}

function leastDays({ retentionDays }: KeptDays): number {
  return retentionDays + KEPT_MARGIN_DAYS;
}

function ageMs(days: number): number | null {
  return days === 0 ? null : days * DAY_MS;
}

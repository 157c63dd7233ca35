import type { EventRow, LedgerRow } from './admin-client.js';
import { checkMoves } from './check-moves.js';
import { entitiesBehindDead, isOutcome, isSettled } from './statuses.js';

export interface AuditedEvent {
  readonly plaintext: string;
  readonly eventKey: string;
  readonly entityKey: string | null;
  readonly createTime: number | null;
  readonly rank: number;
  readonly isAnswered: boolean;
  /** A dead letter on purpose. */
  readonly endsDead: boolean;
}

export interface AuditInput {
  readonly events: readonly AuditedEvent[];
  readonly rows: ReadonlyMap<string, EventRow>;
  /** Effects since the start of the run in commit order; those of other senders among them are passed over. */
  readonly changes: readonly LedgerRow[];
  /** Transport and spool are known to be empty. */
  readonly isQuiet: boolean;
}

export interface Finding {
  readonly eventKey: string;
  readonly entityKey: string | null;
  readonly detail: string;
}

export interface Audit {
  readonly statuses: ReadonlyMap<string, number>;
  /** Answered, and in the end neither an outcome nor a visible wait. */
  readonly lost: readonly Finding[];
  /** More than one effect of one event. */
  readonly doubled: readonly Finding[];
  /** Row and effects do not tell the same: APPLIED without an effect, or an effect of an event that is not APPLIED. */
  readonly mismatched: readonly Finding[];
  /** Effects that the state machine of the entity does not allow. */
  readonly wrongMoves: readonly Finding[];
  /** Effects of an entity whose (CreateTime, rank) is lower than that of an earlier one. */
  readonly inversions: readonly Finding[];
  /** Still on the way, or still to be retried. */
  readonly unfinished: readonly Finding[];
  /** Dead letters that nobody meant to be one. Nothing is lost, but somebody should look. */
  readonly unexpectedDead: readonly Finding[];
}

/**
 * Judges what the service says it did by what was sent. CreateTime and rank are those of the events as sent, so that a
 * wrong column cannot hide a wrong order.
 */
export function audit({ events, rows, changes, isQuiet }: AuditInput): Audit {
  const known = new Map(events.map((event) => [event.eventKey, event]));
  const own = changes.filter(({ eventKey }) => known.has(eventKey));
  const effectCounts = countBy(own.map(({ eventKey }) => eventKey));
  return {
    statuses: countBy([...rows.values()].map(({ status }) => status)),
    ...findMissing(events, rows, isQuiet),
    doubled: findDoubled(known, effectCounts),
    mismatched: findMismatched(events, rows, effectCounts),
    wrongMoves: checkMoves(own, (eventKey) => known.get(eventKey)?.plaintext ?? null),
    inversions: findInversions(known, own),
    unexpectedDead: findUnexpectedDead(events, rows),
  };
}

function findMissing(
  events: readonly AuditedEvent[],
  rows: ReadonlyMap<string, EventRow>,
  isQuiet: boolean,
): Pick<Audit, 'lost' | 'unfinished'> {
  const behindDead = entitiesBehindDead(rows.values());
  const lost: Finding[] = [];
  const unfinished: Finding[] = [];
  for (const { eventKey, entityKey, isAnswered } of events) {
    const row = rows.get(eventKey);
    if (row !== undefined) {
      if (isSettled(row, behindDead)) continue;
      unfinished.push({ eventKey, entityKey, detail: `still ${row.status}${errorOf(row)}` });
    } else if (isAnswered) {
      if (isQuiet) lost.push({ eventKey, entityKey, detail: 'answered, but it has no row and nothing is on the way' });
      else unfinished.push({ eventKey, entityKey, detail: 'no row yet; it may be on the transport or in the spool' });
    }
  }
  return { lost, unfinished };
}

function findDoubled(known: ReadonlyMap<string, AuditedEvent>, effectCounts: ReadonlyMap<string, number>): Finding[] {
  return [...effectCounts]
    .filter(([, count]) => count > 1)
    .map(([eventKey, count]) => ({
      eventKey,
      entityKey: known.get(eventKey)?.entityKey ?? null,
      detail: `${count} effects`,
    }));
}

function findMismatched(
  events: readonly AuditedEvent[],
  rows: ReadonlyMap<string, EventRow>,
  effectCounts: ReadonlyMap<string, number>,
): Finding[] {
  return events.flatMap(({ eventKey, entityKey }) => {
    const row = rows.get(eventKey);
    const hasEffect = effectCounts.has(eventKey);
    const place = { eventKey, entityKey: row?.entityKey ?? entityKey };
    if (hasEffect && row?.status !== 'APPLIED') {
      return [{ ...place, detail: `an effect, but its row is ${row?.status ?? 'missing'}` }];
    }
    // The row's own entity counts: an event of no entity has nothing to enter into the ledger.
    const isOwed = row?.status === 'APPLIED' && row.entityKey !== null;
    return isOwed && !hasEffect ? [{ ...place, detail: 'APPLIED, but without an effect' }] : [];
  });
}

function findInversions(known: ReadonlyMap<string, AuditedEvent>, own: readonly LedgerRow[]): Finding[] {
  const last = new Map<string, { time: number; rank: number }>();
  const found: Finding[] = [];
  for (const change of own) {
    const event = known.get(change.eventKey);
    const time = event?.createTime ?? null;
    if (event === undefined || time === null) continue;
    // An entity type of the user's own is unknown here: the ledger's word has to do.
    const entityKey = event.entityKey ?? change.entityKey;
    const rank = rankOf(event, change);
    const before = last.get(entityKey);
    if (before !== undefined && (time < before.time || (time === before.time && rank < before.rank))) {
      const detail = `applied (${time}, ${rank}) after (${before.time}, ${before.rank})`;
      found.push({ eventKey: change.eventKey, entityKey, detail });
    }
    last.set(entityKey, { time, rank });
  }
  return found;
}

/**
 * Its own, as sent. An event that moved nothing may stand below it in the ledger, where what set the state stands: it hides
 * nothing that came earlier in its second (an edit between two additions).
 */
function rankOf({ entityKey, rank }: AuditedEvent, { eventRank, fromState, toState }: LedgerRow): number {
  if (entityKey === null) return eventRank;
  return fromState === toState ? Math.min(rank, eventRank) : rank;
}

function findUnexpectedDead(events: readonly AuditedEvent[], rows: ReadonlyMap<string, EventRow>): Finding[] {
  return events.flatMap(({ eventKey, entityKey, endsDead }) => {
    const row = rows.get(eventKey);
    if (endsDead || row?.status !== 'DEAD') return [];
    return [{ eventKey, entityKey, detail: `DEAD${errorOf(row)}` }];
  });
}

function errorOf({ status, errorCode, errorMessage }: EventRow): string {
  return isOutcome(status) || errorCode === null ? '' : `: ${errorCode} ${errorMessage ?? ''}`.trimEnd();
}

function countBy(names: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const name of names) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

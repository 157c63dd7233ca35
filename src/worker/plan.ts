import { HandlerPausedError } from '../handlers/handler-paused-error.js';
import type { RowState } from '../event-log/event-log.js';
import { isOutcome } from '../event-log/status.js';
import type { OtherOfEvent } from '../entity-types/entity-type-registry.js';
import { decide, type Decision, type EntitySnapshot, type Reread } from '../saga/decide.js';
import type { Line } from '../event-log/event-log.js';
import { canReread, type RereadLimits } from './can-reread.js';
import { pausedLookAfterMs } from './retry-policy.js';
import { strictKeyOf, type LeasedItem } from './work-item.js';

type Apply = Extract<Decision, { kind: 'apply' }>;

/** What an entity takes note of although nothing was applied to it. */
interface Marks {
  /** It has to be marked unconfirmed, or is confirmed. */
  readonly doubt: 'mark' | 'clear' | null;
  /** What it remembers of its second; null: nothing new. */
  readonly secondRanks: number | null;
}

const NO_MARKS: Marks = { doubt: null, secondRanks: null };

/** What becomes of a further entity of an event that is applied. */
export interface PlannedOther extends Marks {
  readonly entity: OtherOfEvent;
  /** Null: it has seen something newer, or the event is nothing to it. */
  readonly apply: Apply | null;
  /** Where it stands afterwards. */
  readonly state: string;
}

/** What will become of one event if the transaction commits. */
export interface Planned extends Marks {
  readonly item: LeasedItem;
  readonly state: RowState;
  readonly reason: string;
  /** The move of the entity, when the event is applied to one. */
  readonly apply: Apply | null;
  readonly others: readonly PlannedOther[];
  /** Where the entity stood before; '' without one. */
  readonly stays: string;
}

export interface PlanInput {
  readonly items: readonly LeasedItem[];
  readonly entities: ReadonlyMap<string, EntitySnapshot>;
  readonly lines: ReadonlyMap<string, Line>;
  readonly now: number;
  /** When a message whose earlier start never ended is run again, from its row. */
  readonly unfinishedRetryAt: number;
  readonly limits: RereadLimits;
  /** Names of the handlers that are paused. */
  readonly paused: ReadonlySet<string>;
}

export interface Plan {
  readonly planned: readonly Planned[];
  /** The entities after all of it. */
  readonly entities: ReadonlyMap<string, EntitySnapshot>;
}

/**
 * Decides a whole group in transport order before anything is written (protocol.md, "Worker path" 4). Pure: it carries
 * each entity's state and the length of its line from one event to the next, so that rows of this transaction count.
 */
export function planGroup(input: PlanInput): Plan {
  const entities = new Map(input.entities);
  const lines = new Map(input.lines);
  const planned = input.items.map((item) => {
    const result = planOne(item, entities, lines, input);
    if (result.apply && item.entity) entities.set(item.entity.key, result.apply.next);
    for (const other of result.others) {
      if (other.apply) entities.set(other.entity.key, other.apply.next);
      else mark(entities, other.entity.key, other);
    }
    if (item.entity) mark(entities, item.entity.key, result);
    const key = strictKeyOf(item);
    if (key !== null && item.origin.kind === 'message' && !isOutcome(result.state.status)) lengthen(lines, key);
    return result;
  });
  return { planned, entities };
}

function planOne(
  item: LeasedItem,
  entities: ReadonlyMap<string, EntitySnapshot>,
  lines: ReadonlyMap<string, Line>,
  { now, unfinishedRetryAt, limits, paused }: PlanInput,
): Planned {
  const strictKey = strictKeyOf(item);
  const line = strictKey === null ? undefined : lines.get(strictKey);
  const stays = (item.entity && entities.get(item.entity.key)?.state) ?? '';
  const plain = { item, apply: null, ...NO_MARKS, others: [], stays };
  const at = stateOf(item, strictKey, line, now);
  if (item.origin.kind === 'message' && line && line.waiting > 0) {
    const state = at({ status: 'PARKED', attempt: 0, dueAt: now });
    return { ...plain, state, reason: `${line.waiting} earlier event(s) of ${strictKey} wait` };
  }
  if (item.defect) {
    const state = at({ status: 'DEAD', errorCode: item.defect.code, errorMessage: item.defect.reason });
    return { ...plain, state, reason: item.defect.reason };
  }
  if (item.lease.startUnfinished && item.origin.kind === 'message') {
    const reason = 'an earlier run began and never ended: it may have taken its worker with it';
    const state = at({
      status: 'RETRY',
      attempt: 1,
      dueAt: unfinishedRetryAt,
      errorCode: 'RUN_UNFINISHED',
      errorMessage: reason,
    });
    return { ...plain, state, reason };
  }
  // A row was asked about before its run was counted.
  if (item.handler && item.origin.kind === 'message' && paused.has(item.handler.name)) {
    const { code, message } = new HandlerPausedError(item.handler.name);
    const dueAt = now + pausedLookAfterMs(0);
    const state = at({ status: 'RETRY', dueAt, errorCode: code, errorMessage: message });
    return { ...plain, state, reason: `waits, at no cost of an attempt: ${message}` };
  }
  if (!item.entity || !item.event) {
    const reason = item.handler ? `applied by ${item.handler.name}` : 'recorded: no handler takes this event';
    return { ...plain, state: at({ status: 'APPLIED', attempt: runsOf(item) }), reason };
  }
  const { entity, event } = item;
  const of = (key: string, otherRank: number | null, reread: Reread): Decision => {
    const before = entities.get(key);
    if (!before) throw new Error(`the entity ${key} was not loaded`);
    const circumstances = { nowMs: now, receivedAtMs: item.identity.receivedAt, reread, otherRank };
    return decide(before, event, entity.type, item.handler?.machine ?? null, circumstances);
  };
  const asked = of(entity.key, null, item.reread ? { kind: 'told', ...item.reread } : { kind: 'ask' });
  const isHopeless = asked.kind === 'reread' && !canReread(item, limits, now);
  const decision = isHopeless ? of(entity.key, null, OFF) : asked;
  const isPast = decision.kind === 'stale';
  const others =
    isPast || decision.kind === 'apply' ? entity.others.map((other) => planOther(other, of, entities)) : [];
  const result = { ...plain, ...fromDecision(decision, item, at), others };
  if (!isPast || !others.some(({ apply }) => apply)) return result;
  // The first entity is past it, but the event is still news to another: a rename brings the new id into being.
  const reason = `${result.reason}; it still moves ${others.map(({ entity: { key } }) => key).join(', ')}`;
  return { ...result, state: at({ status: 'APPLIED', attempt: runsOf(item) }), reason };
}

/** Each further entity has only to have seen nothing newer. */
function planOther(
  other: OtherOfEvent,
  of: (key: string, otherRank: number, reread: Reread) => Decision,
  entities: ReadonlyMap<string, EntitySnapshot>,
): PlannedOther {
  const decision = of(other.key, other.rank, OFF);
  const apply = decision.kind === 'apply' ? decision : null;
  const { doubt, secondRanks } = decision.kind === 'stale' ? decision : NO_MARKS;
  return { entity: other, apply, doubt, secondRanks, state: apply?.next.state ?? entities.get(other.key)?.state ?? '' };
}

// A further entity is never re-read: the event is ordered by its first.
const OFF: Reread = { kind: 'off' };

function fromDecision(
  decision: Decision,
  item: LeasedItem,
  at: (change: Partial<RowState> & Pick<RowState, 'status'>) => RowState,
): Pick<Planned, 'state' | 'reason' | 'apply' | keyof Marks> {
  const { reason } = decision;
  const none = { reason, apply: null, ...NO_MARKS };
  switch (decision.kind) {
    case 'apply':
      return { ...none, state: at({ status: 'APPLIED', attempt: runsOf(item) }), apply: decision };
    case 'stale':
      return { ...none, state: at({ status: 'STALE' }), doubt: decision.doubt, secondRanks: decision.secondRanks };
    case 'rejected':
      return { ...none, state: at({ status: 'REJECTED' }) };
    case 'expired':
      return { ...none, state: at({ status: 'EXPIRED' }) };
    case 'reread':
      return { ...none, state: at({ status: 'RETRY', dueAt: decision.notBeforeMs, errorCode: 'REREAD_DUE' }) };
    case 'dead':
      return { ...none, state: at({ status: 'DEAD', errorCode: 'EVENT_UNKNOWN_TO_MACHINE', errorMessage: reason }) };
  }
}

/** Runs begun when this one is under way: a row's was counted before, a message's is its first. */
function runsOf(item: LeasedItem): number {
  return item.origin.kind === 'row' ? item.origin.version.attempt : 1;
}

function stateOf(item: LeasedItem, strictKey: string | null, line: Line | undefined, now: number) {
  return (change: Partial<RowState> & Pick<RowState, 'status'>): RowState => {
    const row = item.origin.kind === 'row' ? item.origin : null;
    const nextInLine = strictKey !== null && !isOutcome(change.status) ? (line?.laneSeqMax ?? 0) + 1 : null;
    return {
      attempt: row ? row.version.attempt : 0,
      // Kept through DEAD and redrive: the row blocks its successors from its own place.
      laneSeq: row ? row.row.laneSeq : nextInLine,
      dueAt: null,
      errorCode: null,
      errorMessage: null,
      decidedAt: now,
      ...change,
    };
  };
}

function lengthen(lines: Map<string, Line>, key: string): void {
  const line = lines.get(key);
  lines.set(key, { waiting: (line?.waiting ?? 0) + 1, laneSeqMax: (line?.laneSeqMax ?? 0) + 1 });
}

function mark(entities: Map<string, EntitySnapshot>, key: string, { doubt, secondRanks: seen }: Marks): void {
  const entity = entities.get(key);
  if (!entity) return;
  const unconfirmed = doubt === null ? entity.unconfirmed : doubt === 'mark';
  const secondRanks = seen ?? entity.secondRanks;
  // One that is marked so already is left alone: a write that changes nothing counts as a miss on some databases.
  if (entity.unconfirmed !== unconfirmed || entity.secondRanks !== secondRanks)
    entities.set(key, { ...entity, unconfirmed, secondRanks });
}

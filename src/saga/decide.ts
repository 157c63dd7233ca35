import type { EntityType } from '../entity-types/entity-type.js';
import type { WecomEvent } from '../wecom/event.js';
import { ranksIn, withRank } from './rank-set.js';
import { transitionOf, type Command, type Finding, type StateMachine } from './state-machine.js';

/** Where an entity stands before an event; `version` 0 means that no event was applied yet. */
export interface EntitySnapshot {
  readonly version: number;
  readonly state: string;
  readonly lastEventTime: number | null;
  readonly lastRank: number | null;
  /** Ranks of the events of that second that were applied or came too late for it (`rank-set.ts`). */
  readonly secondRanks: number;
  readonly unconfirmed: boolean;
  readonly tombstone: boolean;
}

export const UNSEEN: EntitySnapshot = {
  version: 0,
  state: '',
  lastEventTime: null,
  lastRank: null,
  secondRanks: 0,
  unconfirmed: false,
  tombstone: false,
};

/** Whether WeCom's API can settle a second that rank cannot. */
export type Reread =
  /** Nobody can be asked, or asking was given up: the rank decides. */
  | { readonly kind: 'off' }
  | { readonly kind: 'ask' }
  /** WeCom's answer; it counts for the version that was read before the question, and for no other. */
  | { readonly kind: 'told'; readonly version: number; readonly finding: Finding };

export interface Circumstances {
  readonly nowMs: number;
  /** When the gateway had the event in hand: the same for each run of it. */
  readonly receivedAtMs: number;
  readonly reread: Reread;
  /** Set when the entity is not the first one of the event: its rank there. */
  readonly otherRank: number | null;
}

export type Decision =
  | {
      readonly kind: 'apply';
      readonly next: EntitySnapshot;
      readonly from: string;
      readonly rank: number;
      /** The CreateTime that the entity now stands at, in seconds. */
      readonly time: number | null;
      readonly commands: readonly Command[];
      readonly reason: string;
    }
  /** Nothing is applied, but the entity may have to be marked unconfirmed, or is confirmed now, and remembers the rank. */
  | {
      readonly kind: 'stale';
      readonly reason: string;
      readonly doubt: 'mark' | 'clear' | null;
      readonly secondRanks: number;
    }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'expired'; readonly reason: string }
  /** Only WeCom's API can tell; it is asked once the second has settled there. */
  | { readonly kind: 'reread'; readonly notBeforeMs: number; readonly reason: string }
  /** Running it again cannot help. */
  | { readonly kind: 'dead'; readonly reason: string };

// An API that is asked too early answers from before the change (protocol.md, "Order").
const REREAD_AFTER_MS = 3_000;
/**
 * The clocks of WeCom and of a server in order differ by less. A CreateTime further ahead counts as this much after its
 * arrival: taken at its word, one wrong event would make every later one of its entity stale.
 */
const AHEAD_S_MAX = 300;

/**
 * What becomes of an event, given where its entity stands (protocol.md, "Order"). Pure. The order of the checks is part
 * of the rule: first what the clock says, then what the second hand and the rank say, then the machine.
 */
export function decide(
  entity: EntitySnapshot,
  event: WecomEvent,
  type: EntityType,
  machine: StateMachine | null,
  at: Circumstances,
): Decision {
  const rank = at.otherRank ?? type.rank(event);
  const { time, isAhead } = timeOf(event, at.receivedAtMs);
  const trigger = triggerOf(machine, event, at);
  if (time !== null && type.deadlineMs !== null && at.nowMs > time * 1000 + type.deadlineMs) {
    return { kind: 'expired', reason: `past the deadline of ${type.name}: ${type.deadlineMs} ms after ${time}` };
  }
  // Strictly older only: CreateTime has whole seconds, and equal ones carry no order.
  if (time !== null && entity.lastEventTime !== null && time < entity.lastEventTime) {
    const doubt = isDoubted(entity, trigger, machine) ? 'mark' : null;
    const reason = `CreateTime ${time} is older than ${entity.lastEventTime}`;
    return { kind: 'stale', reason, doubt, secondRanks: entity.secondRanks };
  }
  const from = stateOf(entity, machine);
  const isSameSecond = time !== null && time === entity.lastEventTime;
  const lastRank = isSameSecond ? entity.lastRank : null;
  // Against each event of the second: one that came too late for the last rank may be opposite to this one.
  const isAmbiguous =
    lastRank !== null && [lastRank, ...ranksIn(entity.secondRanks)].some((seen) => type.ambiguous(rank, seen));
  const secondRanks = withRank(isSameSecond ? entity.secondRanks : 0, rank);
  const told = isAmbiguous && trigger !== null ? settle(entity, from, trigger, machine, at.reread) : null;
  if (told === 'ask') {
    const notBeforeMs = Math.max(at.nowMs, (time ?? 0) * 1000 + REREAD_AFTER_MS);
    return { kind: 'reread', notBeforeMs, reason: `rank ${rank} or ${lastRank} came last in second ${time}: re-read` };
  }
  if (told === 'stale') {
    // Where nothing is there, a doubt may be about the other side, of which WeCom's API knows nothing.
    const isThere = at.reread.kind === 'told' && at.reread.finding === 'present';
    const reason = `rank ${lastRank} came last in second ${time}, as re-read`;
    return { kind: 'stale', reason, doubt: isThere ? 'clear' : null, secondRanks };
  }
  if (told === null && lastRank !== null && rank < lastRank) {
    const reason = `rank ${rank} in second ${time} comes before rank ${lastRank}`;
    // A higher rank says which came last, but one that tells nothing of the state hides what the lower one would have done.
    const doubt = isAmbiguous || isDoubted(entity, trigger, machine) ? 'mark' : null;
    return { kind: 'stale', reason, doubt, secondRanks };
  }
  const moved = machine ? move(machine, from, trigger, event) : stay(from);
  if ('kind' in moved) return moved;
  const keepsDoubt = moved.keepsDoubt && entity.unconfirmed;
  const unsure = isAhead || (isAmbiguous && told === null) || keepsDoubt || !isKnown(entity, machine);
  // Told nothing new, the entity still stands where a lower rank of this second put it: a third event of the second has to
  // be compared with that one, or an edit between an adding and an ending would hide that the second holds both.
  const tellsNothing = moved.keepsDoubt && moved.to === from;
  // What is applied never decreases in (time, rank), also where a re-read put the lower rank last.
  const isKept = lastRank !== null && (told === 'apply' ? lastRank > rank : tellsNothing);
  const appliedRank = isKept ? lastRank : rank;
  const next: EntitySnapshot = {
    version: entity.version + 1,
    state: moved.to,
    // Only APPLIED moves these two, and together: a rejected event that moved them would hide a legal one.
    lastEventTime: time ?? entity.lastEventTime,
    lastRank: time === null ? entity.lastRank : appliedRank,
    secondRanks: time === null ? entity.secondRanks : secondRanks,
    unconfirmed: moved.unconfirmed || unsure,
    tombstone: machine?.tombstones.includes(moved.to) ?? false,
  };
  const reason = isAhead ? `${moved.reason}; CreateTime ${event.createTime} is ahead, taken as ${time}` : moved.reason;
  return { kind: 'apply', next, from, rank: appliedRank, time, commands: moved.commands, reason };
}

function isDoubted(entity: EntitySnapshot, trigger: string | null, machine: StateMachine | null): boolean {
  if (trigger === null || !machine?.doubtedBy) return false;
  return machine.doubtedBy({ trigger, state: entity.state, lastRank: entity.lastRank });
}

function timeOf({ createTime }: WecomEvent, receivedAtMs: number): { time: number | null; isAhead: boolean } {
  const latest = Math.floor(receivedAtMs / 1000) + AHEAD_S_MAX;
  const isAhead = createTime !== null && createTime > latest;
  return { time: isAhead ? latest : createTime, isAhead };
}

function triggerOf(machine: StateMachine | null, event: WecomEvent, { otherRank }: Circumstances): string | null {
  if (!machine) return null;
  return otherRank === null ? machine.trigger(event) : (machine.otherTrigger?.(event) ?? null);
}

/** A state that the machine does not have was written without it, or by an older one: its past is unknown. */
function isKnown(entity: EntitySnapshot, machine: StateMachine | null): boolean {
  return entity.version === 0 || machine === null || machine.states.includes(entity.state);
}

/** An unknown past is no reason to refuse every event from now on: the entity begins anew. */
function stateOf(entity: EntitySnapshot, machine: StateMachine | null): string {
  return machine && (entity.version === 0 || !isKnown(entity, machine)) ? machine.initial : entity.state;
}

/** Null: the API cannot tell, or is not there. */
function settle(
  entity: EntitySnapshot,
  from: string,
  trigger: string,
  machine: StateMachine | null,
  reread: Reread,
): 'ask' | 'apply' | 'stale' | null {
  const finding = machine?.appliesWhen?.(from, trigger) ?? null;
  if (finding === null || reread.kind === 'off') return null;
  // Somebody moved the entity since the question: the answer may be about what came before.
  if (reread.kind === 'ask' || reread.version !== entity.version) return 'ask';
  return reread.finding === finding ? 'apply' : 'stale';
}

type Move = { to: string; unconfirmed: boolean; keepsDoubt: boolean; commands: readonly Command[]; reason: string };

function stay(to: string): Move {
  return { to, unconfirmed: false, keepsDoubt: false, commands: [], reason: 'applied' };
}

function move(machine: StateMachine, from: string, trigger: string | null, event: WecomEvent): Move | Decision {
  if (trigger === null) return { kind: 'dead', reason: `${machine.name} does not know this kind of event` };
  const transition = transitionOf(machine, from, trigger, event);
  if (!transition) return { kind: 'rejected', reason: `${machine.name}: ${trigger} is illegal in ${from}` };
  const unconfirmed = transition.unconfirmed ?? false;
  return {
    to: transition.to,
    unconfirmed,
    keepsDoubt: transition.keepsDoubt ?? false,
    commands: transition.commands?.(event) ?? [],
    reason: `${machine.name}: ${from} → ${transition.to} by ${trigger}${unconfirmed ? ', unconfirmed' : ''}`,
  };
}

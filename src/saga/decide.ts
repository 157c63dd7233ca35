import type { EntityType } from '../entity-types/entity-type.js';
import type { WecomEvent } from '../wecom/event.js';
import { transitionOf, type Command, type StateMachine } from './state-machine.js';

/** Where an entity stands before an event; `version` 0 means that no event was applied yet. */
export interface EntitySnapshot {
  readonly version: number;
  readonly state: string;
  readonly lastEventTime: number | null;
  readonly lastRank: number | null;
  readonly unconfirmed: boolean;
  readonly tombstone: boolean;
}

export const UNSEEN: EntitySnapshot = {
  version: 0,
  state: '',
  lastEventTime: null,
  lastRank: null,
  unconfirmed: false,
  tombstone: false,
};

export type Decision =
  | {
      readonly kind: 'apply';
      readonly next: EntitySnapshot;
      readonly from: string;
      readonly rank: number;
      readonly commands: readonly Command[];
      readonly reason: string;
    }
  /** `doubtful`: nothing is applied, but the entity has to be marked unconfirmed. */
  | { readonly kind: 'stale'; readonly reason: string; readonly doubtful: boolean }
  | { readonly kind: 'rejected'; readonly reason: string }
  | { readonly kind: 'expired'; readonly reason: string }
  /** Running it again cannot help. */
  | { readonly kind: 'dead'; readonly reason: string };

/**
 * What becomes of an event, given where its entity stands (protocol.md, "Order"). Pure. The order of the checks is part
 * of the rule: first what the clock says, then what the second hand and the rank say, then the machine.
 */
export function decide(
  entity: EntitySnapshot,
  event: WecomEvent,
  type: EntityType,
  machine: StateMachine | null,
  nowMs: number,
): Decision {
  const rank = type.rank(event);
  const late = lateness(entity, event, type, rank, nowMs);
  if (late) return late;
  // A state that the machine does not have was written without it, or by an older one: its past is unknown, which is no
  // reason to refuse every event from now on.
  const isKnown = entity.version > 0 && (machine?.states.includes(entity.state) ?? true);
  const from = machine && !isKnown ? machine.initial : entity.state;
  const unsure = machine !== null && !isKnown && entity.version > 0;
  const moved = machine
    ? move(machine, from, event)
    : { to: from, unconfirmed: false, commands: [], reason: 'applied' };
  if ('kind' in moved) return moved;
  const sameSecond = event.createTime !== null && event.createTime === entity.lastEventTime;
  const doubtful = sameSecond && entity.lastRank !== null && type.ambiguous(rank, entity.lastRank);
  const next: EntitySnapshot = {
    version: entity.version + 1,
    state: moved.to,
    // Only APPLIED moves these two, and together: a rejected event that moved them would hide a legal one.
    lastEventTime: event.createTime ?? entity.lastEventTime,
    lastRank: event.createTime === null ? entity.lastRank : rank,
    unconfirmed: moved.unconfirmed || doubtful || unsure,
    tombstone: machine?.tombstones.includes(moved.to) ?? false,
  };
  return { kind: 'apply', next, from, rank, commands: moved.commands, reason: moved.reason };
}

function lateness(
  entity: EntitySnapshot,
  event: WecomEvent,
  type: EntityType,
  rank: number,
  nowMs: number,
): Decision | null {
  const time = event.createTime;
  if (time === null) return null;
  if (type.deadlineMs !== null && nowMs > time * 1000 + type.deadlineMs) {
    return { kind: 'expired', reason: `past the deadline of ${type.name}: ${type.deadlineMs} ms after ${time}` };
  }
  if (entity.lastEventTime === null) return null;
  // Strictly older only: CreateTime has whole seconds, and equal ones carry no order.
  if (time < entity.lastEventTime) {
    return { kind: 'stale', reason: `CreateTime ${time} is older than ${entity.lastEventTime}`, doubtful: false };
  }
  if (time === entity.lastEventTime && entity.lastRank !== null && rank < entity.lastRank) {
    const reason = `rank ${rank} in second ${time} comes before rank ${entity.lastRank}`;
    return { kind: 'stale', reason, doubtful: type.ambiguous(rank, entity.lastRank) };
  }
  return null;
}

type Move = { to: string; unconfirmed: boolean; commands: readonly Command[]; reason: string };

function move(machine: StateMachine, from: string, event: WecomEvent): Move | Decision {
  const trigger = machine.trigger(event);
  if (trigger === null) return { kind: 'dead', reason: `${machine.name} does not know this kind of event` };
  const transition = transitionOf(machine, from, trigger, event);
  if (!transition) return { kind: 'rejected', reason: `${machine.name}: ${trigger} is illegal in ${from}` };
  const unconfirmed = transition.unconfirmed ?? false;
  return {
    to: transition.to,
    unconfirmed,
    commands: transition.commands?.(event) ?? [],
    reason: `${machine.name}: ${from} → ${transition.to} by ${trigger}${unconfirmed ? ', unconfirmed' : ''}`,
  };
}

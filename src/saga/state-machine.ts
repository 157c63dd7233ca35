import type { WecomEvent } from '../wecom/event.js';

/** A side effect outside the database: at-least-once, with `<event key>:<index>` as its idempotency key. */
export type Command =
  | {
      readonly kind: 'http';
      readonly name: string;
      readonly url: string;
      readonly body: string;
      readonly headers?: Readonly<Record<string, string>>;
      /** Sent instead when the command is dead (retries used up): undoes what the effect relied on. */
      readonly compensation?: Command;
    }
  | {
      readonly kind: 'topic';
      readonly name: string;
      readonly topic: string;
      readonly key: string;
      readonly body: string;
      readonly compensation?: Command;
    };

export interface Transition<S extends string> {
  readonly to: S;
  /** The transition is legal only for events that pass; the first one of a list that passes is taken. */
  readonly guard?: (event: WecomEvent) => boolean;
  /** The predecessor was never seen, or WeCom's documents leave it open: applied, and marked until confirmed. */
  readonly unconfirmed?: true;
  /** The event says nothing about the state itself (an edit): a doubt that was there before stays. */
  readonly keepsDoubt?: true;
  readonly commands?: (event: WecomEvent) => readonly Command[];
}

type Cell<S extends string> = Transition<S> | readonly Transition<S>[];

/** What WeCom's API says about an object when it is asked again. */
export type Finding = 'present' | 'absent';

/** What an event that came too late to be applied met. */
export interface LateEvent<S extends string, T extends string> {
  readonly trigger: T;
  readonly state: S;
  /** Rank of the event that was applied last; null when it had no time. */
  readonly lastRank: number | null;
}

/** A state machine as a table: from state × trigger → transition. A cell that is missing is an illegal move. */
export interface StateMachine<S extends string = string, T extends string = string> {
  readonly name: string;
  readonly initial: S;
  readonly states: readonly S[];
  /** States in which the object is gone. */
  readonly tombstones: readonly S[];
  readonly triggers: readonly T[];
  /** Which trigger an event is; null when the machine does not know it (the event is then a dead letter). */
  readonly trigger: (event: WecomEvent) => T | null;
  /** Which trigger the event is for the further entities that it moves (`EntityType.others`). */
  readonly otherTrigger?: (event: WecomEvent) => T | null;
  /**
   * True when a late event, had it come in time, might have left another state than the one that stands: the entity is
   * then marked unconfirmed. Without it, lateness casts no doubt.
   */
  doubtedBy?(late: LateEvent<S, T>): boolean;
  /**
   * For a second that rank cannot settle: the finding under which the event was the last one of its second and is
   * applied; under the other one it is stale. Null: WeCom's API cannot tell, so the rank decides.
   */
  appliesWhen?(from: S, trigger: T): Finding | null;
  readonly transitions: { readonly [from in S]?: { readonly [trigger in T]?: Cell<S> } };
}

/** The transition that the event takes; null: an illegal move. */
export function transitionOf(
  machine: StateMachine,
  from: string,
  trigger: string,
  event: WecomEvent,
): Transition<string> | null {
  const candidates = transitionsOf(machine, from, trigger);
  return candidates.find((candidate) => candidate.guard?.(event) ?? true) ?? null;
}

/** All that a cell of the table holds, in the order in which it is tried. */
export function transitionsOf(machine: StateMachine, from: string, trigger: string): readonly Transition<string>[] {
  const cells = own(machine.transitions, from);
  const cell = cells && own(cells, trigger);
  if (!cell) return [];
  return isList(cell) ? cell : [cell];
}

function isList(cell: Cell<string>): cell is readonly Transition<string>[] {
  return Array.isArray(cell);
}

/** A trigger may be text of the event, and every object has a `constructor`. */
function own<T>(table: { readonly [name: string]: T }, name: string): T | undefined {
  return Object.hasOwn(table, name) ? table[name] : undefined;
}

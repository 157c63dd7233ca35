import type { Line, EventRow } from '../event-log/event-log.js';
import type { EntityOfEvent } from '../entity-types/entity-type-registry.js';
import { HandlerPausedError } from '../handlers/handler-paused-error.js';
import { decide, type EntitySnapshot } from '../saga/decide.js';
import type { StateMachine } from '../saga/state-machine.js';
import type { WecomEvent } from '../wecom/event.js';
import type { Action } from './dead-letter-service.js';

export const FORECASTS = [
  ...(['would-apply', 'would-wait', 'would-be-stale', 'would-be-rejected', 'would-expire'] as const),
  ...(['would-be-dead', 'would-be-discarded', 'already-changed', 'not-found'] as const),
];

/** What would become of an item if the job ran now. */
export interface Forecast {
  readonly kind: (typeof FORECASTS)[number];
  readonly reason: string;
}

export interface ForecastInput {
  readonly action: Action;
  readonly seen: { readonly generation: number };
  readonly row: EventRow | null;
  /** Null when the text does not parse, with the reason. */
  readonly event: WecomEvent | null;
  readonly defect: string | null;
  readonly entity: EntityOfEvent | null;
  readonly machine: StateMachine | null;
  readonly handler: string | null;
  /** An operator has paused it. */
  readonly isPaused: boolean;
  /** Where the entity stands, moved on by the items before this one. */
  readonly snapshot: EntitySnapshot | null;
  /** Waiting rows of the strict entity that are before this one and in no item of the job before it. */
  readonly before: Pick<Line, 'waiting'>;
  readonly now: number;
}

/** Pure, and by the same rules as the worker; `next` is where the entity would stand then. */
export function forecast(input: ForecastInput): { forecast: Forecast; next: EntitySnapshot | null } {
  const { action, row, seen, event, entity, snapshot, machine, before, now } = input;
  const told = (kind: Forecast['kind'], reason: string, next: EntitySnapshot | null = null) => ({
    ...{ forecast: { kind, reason }, next },
  });
  if (!row) return told('not-found', 'no event has this id');
  const waits = row.status === 'DEAD' || (action === 'discard' && ['RETRY', 'PARKED', 'REDRIVEN'].includes(row.status));
  if (row.generation !== seen.generation || !waits)
    return told('already-changed', `the event is ${row.status} in generation ${row.generation}`);
  if (action === 'discard') return told('would-be-discarded', `it is ${row.status} and would end without an effect`);
  if (!event) return told('would-be-dead', input.defect ?? 'the text does not parse');
  if (before.waiting > 0)
    return told('would-wait', `${before.waiting} earlier event(s) of ${row.entityKey} wait before it`);
  if (input.isPaused) return told('would-wait', new HandlerPausedError(input.handler ?? '').message);
  const ifHandler = input.handler === null ? 'no handler takes it' : `if ${input.handler} does not fail again`;
  if (!entity || !snapshot) return told('would-apply', ifHandler);
  // Without asking WeCom: a forecast is made of hundreds of events, and what it says now may differ from what it says then.
  const at = { nowMs: now, receivedAtMs: row.receivedAt, reread: { kind: 'off' }, otherRank: null } as const;
  const decision = decide(snapshot, event, entity.type, machine, at);
  switch (decision.kind) {
    case 'apply':
      return told('would-apply', `${decision.reason}, ${ifHandler}`, decision.next);
    case 'stale':
      return told('would-be-stale', decision.reason);
    case 'rejected':
      return told('would-be-rejected', decision.reason);
    case 'expired':
      return told('would-expire', decision.reason);
    case 'reread':
      return told('would-wait', decision.reason);
    case 'dead':
      return told('would-be-dead', decision.reason);
  }
}

import { BUILT_IN_MACHINES } from '../handlers/built-in-machines.js';
import { type StateMachine, transitionOf } from '../saga/state-machine.js';
import { parseEvent } from '../wecom/parse-event.js';
import type { LedgerRow } from './admin-client.js';

export interface WrongMove {
  readonly eventKey: string;
  readonly entityKey: string;
  readonly detail: string;
}

/**
 * Plays the effects of each entity through the state machine of its built-in handler. It finds what no count can: an
 * event that was applied by nobody, or on a state that was already gone. `plaintextOf` gives null for foreign events.
 */
export function checkMoves(
  changes: readonly LedgerRow[],
  plaintextOf: (eventKey: string) => string | null,
): readonly WrongMove[] {
  return BUILT_IN_MACHINES.flatMap((machine) => {
    const own = changes.filter(({ entityKey }) => entityKey.split('/')[2] === machine.name);
    // Without a single state of the machine, the service runs without this built-in handler, and nothing is wrong.
    if (!own.some(({ toState }) => machine.states.includes(toState))) return [];
    return checkMachine(machine, own, plaintextOf);
  });
}

function checkMachine(
  machine: StateMachine,
  changes: readonly LedgerRow[],
  plaintextOf: (eventKey: string) => string | null,
): WrongMove[] {
  const states = new Map<string, string>();
  const wrong: WrongMove[] = [];
  for (const { entityKey, eventKey, fromState, toState } of changes) {
    const plaintext = plaintextOf(eventKey);
    if (plaintext === null) continue;
    const from = states.get(entityKey) ?? machine.initial;
    const to = nextState(machine, from, plaintext);
    if (fromState !== from || toState !== to) {
      const detail = `moved "${fromState}" → "${toState}" instead of "${from}" → "${to ?? 'no move'}"`;
      wrong.push({ eventKey, entityKey, detail });
    }
    // From where the service says it stands: one wrong move is one finding.
    states.set(entityKey, toState);
  }
  return wrong;
}

function nextState(machine: StateMachine, from: string, plaintext: string): string | null {
  const parsed = parseEvent(plaintext, '');
  if (parsed.kind !== 'event') return null;
  const trigger = machine.trigger(parsed.event);
  return trigger === null ? null : (transitionOf(machine, from, trigger, parsed.event)?.to ?? null);
}

import type { ChangeView, TailItemView } from '../../api/views.js';

export interface TimelineEntry {
  readonly decision: TailItemView;
  /** The move that the decision made; null when it moved nothing. */
  readonly change: ChangeView | null;
}

const NO_PROBLEM = new Set(['APPLIED', 'DUPLICATE', 'REDRIVEN']);

/** Each decision with the move that it made: those of one event belong together, and one event moves an entity once. */
export function timelineOf(decisions: readonly TailItemView[], changes: readonly ChangeView[]): TimelineEntry[] {
  const moves = new Map(changes.map((change) => [change.eventKey, change]));
  return decisions.map((decision) => ({
    decision,
    change: decision.decision === 'APPLIED' ? (moves.get(decision.eventKey) ?? null) : null,
  }));
}

export function isProblem({ decision }: TimelineEntry): boolean {
  return !NO_PROBLEM.has(decision.decision);
}

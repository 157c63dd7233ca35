const OUTCOMES: ReadonlySet<string> = new Set(['APPLIED', 'STALE', 'REJECTED', 'EXPIRED', 'DISCARDED']);

/** Final: nothing follows by itself or by an operator. */
export function isOutcome(status: string): boolean {
  return OUTCOMES.has(status);
}

interface Row {
  readonly status: string;
  readonly entityKey: string | null;
}

/** Entities whose later events wait until an operator has dealt with a dead letter. */
export function entitiesBehindDead(rows: Iterable<Row>): Set<string> {
  const entities = new Set<string>();
  for (const { status, entityKey } of rows) if (status === 'DEAD' && entityKey !== null) entities.add(entityKey);
  return entities;
}

/** Whether the service will do nothing more about the event by itself. */
export function isSettled({ status, entityKey }: Row, behindDead: ReadonlySet<string>): boolean {
  if (isOutcome(status) || status === 'DEAD') return true;
  return status === 'PARKED' && entityKey !== null && behindDead.has(entityKey);
}

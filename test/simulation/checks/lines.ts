import { BUILT_IN_ENTITY_TYPES } from '../../../src/entity-types/built-in.js';
import { OUTCOMES } from '../../../src/event-log/status.js';
import type { Data, Value } from '../database/sql-expression.js';
import type { Change } from '../database/transaction.js';
import { Check } from './check.js';

const STRICT = new Set(BUILT_IN_ENTITY_TYPES.filter(({ order }) => order === 'strict').map(({ name }) => name));

/**
 * I4, within the database: nothing of a strict entity gets an outcome while a row before it waits, and no two rows have
 * one place. It holds however mixed the transport's order is, since the lock of the entity alone makes it so. An operator
 * may discard out of turn.
 */
export class Lines extends Check {
  /** The places of the rows that wait, by entity and by id. */
  private readonly waiting = new Map<string, Map<Value, Value>>();

  constructor() {
    super('I4 nothing is decided past a row that waits');
  }

  override onCommit(changes: readonly Change[]): void {
    for (const { table, before, after } of changes) {
      if (table !== 'event_log' || after === null) continue;
      const key = after['entity_key'];
      if (typeof key !== 'string' || !STRICT.has(key.split('/')[2] ?? '')) continue;
      const line = this.waiting.get(key) ?? new Map<Value, Value>();
      this.waiting.set(key, line);
      if (!isOutcome(after)) this.waits(key, line, after);
      else if (before === null || !isOutcome(before)) this.ends(key, line, after);
    }
  }

  private waits(key: string, line: Map<Value, Value>, row: Data): void {
    const [id, place] = [row['id'] ?? null, row['lane_seq'] ?? null];
    for (const [other, taken] of line)
      if (other !== id && taken === place) this.violate(`${key}: two rows stand at place ${String(place)}`);
    line.set(id, place);
  }

  private ends(key: string, line: Map<Value, Value>, row: Data): void {
    const place = row['lane_seq'] ?? null;
    line.delete(row['id'] ?? null);
    if (row['status'] === 'DISCARDED') return;
    for (const taken of line.values()) {
      // A message that never waited has no place: it comes behind all that do.
      if (place !== null && Number(taken) > Number(place)) continue;
      this.violate(`${key}: ${String(row['status'])} at place ${String(place)}, and place ${String(taken)} waits`);
    }
  }
}

function isOutcome(row: Data): boolean {
  return (OUTCOMES as readonly unknown[]).includes(row['status']);
}

import { BUILT_IN_ENTITY_TYPES } from '../../../src/entity-types/built-in.js';
import { EntityTypeRegistry } from '../../../src/entity-types/entity-type-registry.js';
import { parseEvent } from '../../../src/wecom/parse-event.js';
import type { Data } from '../database/sql-expression.js';
import type { Change } from '../database/transaction.js';
import { Check, type View } from './check.js';

/** Of the built-in types. */
const RANKS = [0, 1, 2, 3, 4, 5];
const TYPES = new EntityTypeRegistry(BUILT_IN_ENTITY_TYPES);

/**
 * I4, what the clock says: STALE is only what is older than what was applied last, or comes before it within its second.
 * A checker of its own, since too many stale events break no other rule: nothing goes back if nothing moves.
 */
export class RightVerdict extends Check {
  constructor() {
    super('I4 only what is older is stale');
  }

  override onCommit(changes: readonly Change[], view: View): void {
    for (const { table, before, after } of changes) {
      if (table !== 'event_log' || after?.['status'] !== 'STALE' || before?.['status'] === 'STALE') continue;
      const saga = view.find('saga', 'entity_key', after['entity_key'] ?? null);
      if (this.isStale(after, saga)) continue;
      this.violate(
        `${String(after['msg_id_or_hash']).slice(0, 8)} of ${String(after['create_time'])} is STALE, but ` +
          `${String(after['entity_key'])} stands at (${String(saga?.['last_event_time'])}, ${String(saga?.['last_rank'])})`,
      );
    }
  }

  private isStale(row: Data, saga: Data | undefined): boolean {
    const [time, last] = [Number(row['create_time']), saga?.['last_event_time']];
    if (typeof last !== 'number') return false;
    if (time !== last) return time < last;
    const parsed = parseEvent(String(row['plaintext']), String(row['corp_id']));
    const type = parsed.kind === 'event' ? TYPES.typeOf(parsed.event.eventType, parsed.event.changeType) : null;
    if (parsed.kind !== 'event' || !type) return false;
    const [rank, lastRank] = [type.rank(parsed.event), Number(saga?.['last_rank'])];
    // Where rank cannot tell, WeCom itself was asked: about what stood there then, and another event of the second may have
    // moved it since (seed 30726: an addition, and two deletions).
    return rank < lastRank || RANKS.some((other) => type.ambiguous(rank, other));
  }
}

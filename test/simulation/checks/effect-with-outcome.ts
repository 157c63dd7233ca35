import type { Change } from '../database/transaction.js';
import { Check, type View } from './check.js';

const EFFECTS = new Set(['ledger', 'entity_change']);

/**
 * I6: whoever writes an effect writes the outcome with it, in one commit. So a worker that lost its lease, and with it the
 * race, leaves nothing behind: its effect would stand in a commit without the outcome.
 */
export class EffectWithOutcome extends Check {
  constructor() {
    super('I6 an effect commits with its outcome, or not at all');
  }

  override onCommit(changes: readonly Change[], _view: View): void {
    const decided = new Set(
      changes.flatMap(({ table, before, after }) =>
        table === 'event_log' && before?.['status'] !== 'APPLIED' && after?.['status'] === 'APPLIED'
          ? [String(after['msg_id_or_hash'])]
          : [],
      ),
    );
    for (const { table, before, after } of changes) {
      if (!EFFECTS.has(table) || before !== null || after === null) continue;
      const key = String(after['event_key']);
      if (!decided.has(key)) this.violate(`${key.slice(0, 8)} wrote into ${table} in a commit that does not decide it`);
    }
  }
}

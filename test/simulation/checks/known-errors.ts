import type { Change } from '../database/transaction.js';
import { Check } from './check.js';

/** What JavaScript itself throws: nobody planned it. */
const UNPLANNED = new Set(['TypeError', 'ReferenceError', 'RangeError', 'SyntaxError']);

/**
 * A run fails of what the world did to it, never of a mistake in the product or in the simulation: such a failure only
 * looks like one more retry, and a run in which handlers never get to their effect shows nothing.
 */
export class KnownErrors extends Check {
  constructor() {
    super('no run fails of a mistake');
  }

  override onCommit(changes: readonly Change[]): void {
    for (const { table, after } of changes) {
      if (table !== 'event_log' || !UNPLANNED.has(String(after?.['error_code']))) continue;
      const key = String(after?.['msg_id_or_hash']).slice(0, 8);
      this.violate(`${key}: ${String(after?.['error_code'])}: ${String(after?.['error_message'])}`);
    }
  }
}

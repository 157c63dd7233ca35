import type { Change } from '../database/transaction.js';
import { Check, type View } from './check.js';

/** I3: an identity has one effect at the most, and one if it is APPLIED. */
export class OneEffect extends Check {
  private readonly effects = new Map<string, number>();

  constructor() {
    super('I3 one effect per identity');
  }

  override onCommit(changes: readonly Change[]): void {
    for (const { table, before, after } of changes) {
      if (table !== 'ledger' || before !== null || after === null) continue;
      const key = String(after['event_key']);
      const count = (this.effects.get(key) ?? 0) + 1;
      this.effects.set(key, count);
      if (count > 1) this.violate(`${key.slice(0, 8)} took effect ${count} times`);
    }
  }

  override atEnd(view: View): void {
    for (const { msg_id_or_hash, status } of view.rows('event_log')) {
      const key = String(msg_id_or_hash);
      const count = this.effects.get(key) ?? 0;
      if (status === 'APPLIED' && count !== 1) this.violate(`${key.slice(0, 8)} is APPLIED with ${count} effects`);
      if (status !== 'APPLIED' && count !== 0)
        this.violate(`${key.slice(0, 8)} is ${String(status)} with ${count} effects`);
    }
  }
}

import { OUTCOMES } from '../../../src/event-log/status.js';
import type { Change } from '../database/transaction.js';
import { Check } from './check.js';

const IDENTITY = ['corp_id', 'event_type', 'msg_id_or_hash', 'app', 'plaintext', 'entity_key'] as const;

/** I5: an outcome is final, a dead letter moves by an operator only, and no row ever goes away. */
export class FinalOutcome extends Check {
  constructor() {
    super('I5 an outcome is final');
  }

  override onCommit(changes: readonly Change[]): void {
    for (const { table, before, after } of changes) {
      if (table !== 'event_log' || before === null) continue;
      const key = String(before['msg_id_or_hash']).slice(0, 8);
      if (after === null) {
        this.violate(`the row of ${key} is gone`);
        continue;
      }
      const [from, to] = [String(before['status']), String(after['status'])];
      const isOutcome = (OUTCOMES as readonly string[]).includes(from);
      if (isOutcome && JSON.stringify(before) !== JSON.stringify(after))
        this.violate(`${key} went from ${from} to ${to}`);
      if (from === 'DEAD' && to !== 'DEAD' && to !== 'REDRIVEN' && to !== 'DISCARDED')
        this.violate(`${key} was dead and became ${to} by itself`);
      if (from !== 'DEAD' && from !== 'REDRIVEN' && to === 'REDRIVEN') this.violate(`${key} was redriven as ${from}`);
      for (const column of IDENTITY) if (before[column] !== after[column]) this.violate(`${key} has another ${column}`);
    }
  }
}

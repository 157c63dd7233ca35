import type { Change } from '../database/transaction.js';
import { Check, type View } from './check.js';

/** I9: an event touches objects of its own receiver and corp only. */
export class OwnCorp extends Check {
  constructor() {
    super('I9 no event of one corp touches another');
  }

  override onCommit(changes: readonly Change[], view: View): void {
    for (const { table, before, after } of changes) {
      if (table !== 'entity_change' || before !== null || after === null) continue;
      const row = view.find('event_log', 'msg_id_or_hash', after['event_key'] ?? null);
      const own = row && `${String(row['app'])}/${String(row['corp_id'])}/`;
      const isWecoms = view.events.some(
        ({ app, corpId, plaintext }) =>
          app === row?.['app'] && corpId === row['corp_id'] && plaintext === row['plaintext'],
      );
      if (!own || !isWecoms || !String(after['entity_key']).startsWith(own))
        this.violate(`${String(after['entity_key'])} was moved by an event of ${own ?? 'nobody'}`);
    }
  }
}

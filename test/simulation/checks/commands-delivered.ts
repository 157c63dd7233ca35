import type { Command } from '../../../src/saga/state-machine.js';
import type { Change } from '../database/transaction.js';
import type { StoredMessage } from '../ports/broker.js';
import { Check, type View } from './check.js';

/** I12: a command goes only after it was delivered, and nothing is delivered that no commit asked for. */
export class CommandsDelivered extends Check {
  private readonly delivered = new Set<string>();
  private readonly asked = new Set<string>();

  constructor() {
    super('I12 a command is delivered at least once');
  }

  override onPublish({ topic, body }: StoredMessage, _view: View): void {
    if (topic !== 'events') this.delivered.add(`${topic}\n${body}`);
  }

  override onCommit(changes: readonly Change[]): void {
    for (const { table, before, after } of changes) {
      if (table !== 'outbox') continue;
      const row = after ?? before;
      const command = JSON.parse(String(row?.['command'])) as Command;
      if (command.kind !== 'topic') continue;
      const key = `${command.topic}\n${command.body}`;
      if (before === null) this.asked.add(key);
      if (after === null && !this.delivered.has(key))
        this.violate(`${String(row?.['idempotency_key']).slice(0, 80)} is gone and was never delivered`);
    }
  }

  override atEnd(): void {
    for (const key of this.delivered)
      if (key.startsWith('notes\n') && !this.asked.has(key))
        this.violate(`a command was sent that nobody asked for: ${key}`);
  }
}

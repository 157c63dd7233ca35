import { BUILT_IN_MACHINES } from '../../../src/handlers/built-in-machines.js';
import type { Data } from '../database/sql-expression.js';
import type { Change } from '../database/transaction.js';
import { Check, type View } from './check.js';

interface Place {
  readonly time: number | null;
  readonly rank: number;
  readonly state: string;
}

/** I4: what is applied to an entity never goes back in (CreateTime, rank), and each move starts where the last one ended. */
export class Order extends Check {
  private readonly places = new Map<string, Place>();

  constructor() {
    super('I4 the order of an entity never goes back');
  }

  override onCommit(changes: readonly Change[], _view: View): void {
    for (const { table, before, after } of changes) {
      if (table === 'entity_change' && before === null && after !== null) this.moved(after);
    }
    for (const { table, after } of changes) if (table === 'saga' && after !== null) this.checkRow(after);
  }

  private moved(change: Data): void {
    const key = String(change['entity_key']);
    const [time, rank] = [change['create_time'] as number | null, Number(change['event_rank'])];
    const last = this.places.get(key);
    const event = String(change['event_key']).slice(0, 8);
    if (last && last.time !== null && time !== null) {
      const isBack = time < last.time || (time === last.time && rank < last.rank);
      if (isBack) this.violate(`${key}: ${event} at (${time}, ${rank}) was applied after (${last.time}, ${last.rank})`);
    }
    const machine = BUILT_IN_MACHINES.find(({ name }) => name === key.split('/')[2]);
    const from = last?.state ?? machine?.initial ?? '';
    if (machine && change['from_state'] !== from)
      this.violate(`${key}: ${event} moved it from ${String(change['from_state'])}, but it stood at ${from}`);
    const isGone = machine?.tombstones.includes(from) ?? false;
    const cells = machine?.transitions[from] ?? {};
    const isLegal = Object.values(cells).some((cell) =>
      [cell].flat().some((transition) => (transition as { to: string }).to === change['to_state']),
    );
    if (isGone && !isLegal) this.violate(`${key}: ${event} brought it back from ${from}`);
    this.places.set(key, { time: time ?? last?.time ?? null, rank, state: String(change['to_state']) });
  }

  /** Only what is applied moves the entity's time and rank. */
  private checkRow(row: Data): void {
    const last = this.places.get(String(row['entity_key']));
    if (Number(row['version']) === 0) return;
    const [time, rank] = [row['last_event_time'] as number | null, row['last_rank'] as number | null];
    const isRight = last && time === last.time && (time === null || rank === last.rank) && row['state'] === last.state;
    if (!isRight)
      this.violate(
        `${String(row['entity_key'])} stands at ${String(row['state'])} (${time}, ${rank}), but was last moved to ` +
          `${last?.state} (${last?.time}, ${last?.rank})`,
      );
  }
}

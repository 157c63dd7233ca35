import type { Action, ItemResult, SeenItem } from '../../../src/admin/dead-letter-service.js';
import type { Change } from '../database/transaction.js';
import { Check, type View } from './check.js';

/** I8: a redrive moves a dead letter by one generation, once, from its own place; and what is reported is what happened. */
export class TrueRedrives extends Check {
  private readonly moved = new Set<string>();
  private readonly reported = new Set<string>();

  constructor() {
    super('I8 a redrive never doubles and reports truly');
  }

  override onCommit(changes: readonly Change[]): void {
    for (const { table, before, after } of changes) {
      if (table === 'event_log' && before !== null && after !== null) this.row(before, after);
      if (table === 'redrive_item' && before !== null && after !== null && before['result'] !== null)
        if (before['result'] !== after['result']) this.violate(`item ${String(after['place'])} was reported twice`);
    }
  }

  override onReport(action: Action, { id, generation }: SeenItem, { result }: ItemResult): void {
    if (result !== 'redriven' && result !== 'discarded') return;
    const key = `${action} ${id}/${generation}`;
    if (this.reported.has(key)) this.violate(`${key} was reported as done twice`);
    this.reported.add(key);
    if (!this.moved.has(key)) this.violate(`${key} was reported as done, and nothing was`);
  }

  override atEnd(view: View): void {
    for (const job of view.rows('redrive_job')) {
      if (job['status'] !== 'DONE') continue;
      const items = view.rows('redrive_item').filter(({ job_id }) => job_id === job['id']);
      const done = items.filter(({ result }) => result !== null);
      if (done.length !== job['total'])
        this.violate(`job ${String(job['id'])} is done with ${done.length} of ${String(job['total'])} items`);
      for (const { event_id, generation, result } of done) {
        const key = `redrive ${String(event_id)}/${String(generation)}`;
        if (result === 'redriven' && !this.moved.has(key)) this.violate(`a job says ${key}, and nothing was`);
      }
    }
  }

  private row(before: Change['before'] & object, after: Change['after'] & object): void {
    const [from, to] = [Number(before['generation']), Number(after['generation'])];
    const id = String(after['id']);
    if (before['status'] !== 'DISCARDED' && after['status'] === 'DISCARDED') this.moved.add(`discard ${id}/${from}`);
    if (before['lane_seq'] !== after['lane_seq'] && before['status'] === 'DEAD')
      this.violate(`row ${id} lost its place in its line`);
    if (from === to) {
      const isBack = before['status'] === 'DEAD' && after['status'] === 'REDRIVEN';
      if (isBack) this.violate(`row ${id} was redriven in its old generation`);
      return;
    }
    const key = `redrive ${id}/${from}`;
    if (to !== from + 1 || after['status'] !== 'REDRIVEN' || before['status'] !== 'DEAD')
      this.violate(`row ${id} went from ${String(before['status'])}/${from} to ${String(after['status'])}/${to}`);
    if (this.moved.has(key)) this.violate(`${key} happened twice`);
    this.moved.add(key);
  }
}

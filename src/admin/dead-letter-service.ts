import { Injectable } from '@nestjs/common';
import { TransactionConflictError } from '../database/database-errors.js';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import { EventLog, type EventRow, type EventStatus } from '../event-log/event-log.js';
import { Clock } from '../runtime/clock.js';
import { SagaStore } from '../saga/saga-store.js';
import { AuditLog } from './audit-log.js';

export interface ItemResult {
  readonly id: number;
  readonly result: 'redriven' | 'discarded' | 'not-possible' | 'not-found';
  /** What the row says now. */
  readonly status: EventStatus | null;
  readonly generation: number | null;
  readonly reason: string;
}

type Action = 'redrive' | 'discard';

const CONFLICT_RETRIES_MAX = 3;
const CONFLICT_DELAY_MS = 50;

/**
 * Redrive and discard: one compare-and-set an item on the generation that the operator saw, so that two clicks are one.
 * Nothing is published; the retry consumer finds the row.
 */
@Injectable()
export class DeadLetterService {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly sagas: SagaStore,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Item by item, each in a transaction of its own: one that fails leaves the others as they are. */
  async run(
    action: Action,
    items: readonly { id: number; generation: number }[],
    actor: string,
  ): Promise<ItemResult[]> {
    const results: ItemResult[] = [];
    for (const item of items) results.push(await this.one(action, item, actor));
    return results;
  }

  private async one(action: Action, item: { id: number; generation: number }, actor: string): Promise<ItemResult> {
    const row = await this.unitOfWork.read((tx) => this.eventLog.byId(tx, item.id));
    if (!row)
      return { id: item.id, result: 'not-found', status: null, generation: null, reason: 'no event has this id' };
    for (let conflicts = 1; ; conflicts += 1) {
      try {
        return await this.unitOfWork.write((tx) => this.decide(tx, action, row, item, actor));
      } catch (error) {
        if (!(error instanceof TransactionConflictError) || conflicts > CONFLICT_RETRIES_MAX) throw error;
        // A worker has the entity in hand.
        await this.clock.sleep(CONFLICT_DELAY_MS * conflicts);
      }
    }
  }

  private async decide(
    tx: Tx,
    action: Action,
    row: EventRow,
    item: { id: number; generation: number },
    actor: string,
  ): Promise<ItemResult> {
    // Each transaction of a strict entity locks its row first, an operator's too. Whatever stands in a line was written
    // under that lock, so the entity row exists; what became of the declaration of its type since does not matter.
    if (row.laneSeq !== null && row.entityKey !== null) await this.sagas.lock(tx, [{ key: row.entityKey }]);
    const changed = await this.change(tx, action, item);
    const now = await this.eventLog.byId(tx, item.id);
    if (changed && now) await this.record(tx, action, now, actor);
    return resultOf(action, changed, now ?? row, item);
  }

  private change(tx: Tx, action: Action, { id, generation }: { id: number; generation: number }): Promise<boolean> {
    return this.eventLog[action](tx, id, generation, this.clock.now());
  }

  private async record(tx: Tx, action: Action, row: EventRow, actor: string): Promise<void> {
    const { eventKey, status, generation, attempt } = row;
    const at = this.clock.now();
    const reason = action === 'redrive' ? 'redriven by an operator' : 'discarded by an operator';
    await this.eventLog.record(tx, [{ eventKey, at, actor, decision: status, reason, generation, attempt }]);
    await this.audit.record(tx, { at, actor, action, target: `event:${row.id}`, detail: { eventKey, generation } });
  }
}

function resultOf(action: Action, changed: boolean, row: EventRow, seen: { generation: number }): ItemResult {
  const { id, status, generation } = row;
  if (changed) {
    const result = action === 'redrive' ? 'redriven' : 'discarded';
    return { id, result, status, generation, reason: `${result}: the row says what becomes of it` };
  }
  const older = generation === seen.generation ? '' : ` in generation ${generation}, not ${seen.generation} as seen`;
  return { id, result: 'not-possible', status, generation, reason: `the event is ${status}${older}` };
}

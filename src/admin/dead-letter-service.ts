import { Injectable } from '@nestjs/common';
import { TransactionConflictError } from '../database/database-errors.js';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import { EventLog, type EventRow, type EventStatus } from '../event-log/event-log.js';
import { Clock } from '../runtime/clock.js';
import { SagaStore } from '../saga/saga-store.js';
import { AuditLog } from '../access/audit-log.js';

export const ACTIONS = ['redrive', 'discard'] as const;
export type Action = (typeof ACTIONS)[number];

/**
 * `changed-meanwhile`: somebody was faster, and it is in another generation than the one seen. `not-dead`: only dead
 * letters are redriven. `not-waiting`: it has its outcome, which is final.
 */
export const ITEM_RESULTS = [
  ...(['redriven', 'discarded', 'changed-meanwhile', 'not-dead', 'not-waiting', 'not-found'] as const),
];
export type ItemResultName = (typeof ITEM_RESULTS)[number];

export interface SeenItem {
  readonly id: number;
  readonly generation: number;
}

export interface ItemResult {
  readonly id: number;
  readonly result: ItemResultName;
  /** What the row says now. */
  readonly status: EventStatus | null;
  readonly generation: number | null;
  readonly reason: string;
}

/** Who acts, and why. */
export interface Operator {
  readonly actor: string;
  readonly reason: string;
  readonly jobId?: number;
}

/** What a caller does in the transaction that changes the items, before and after them. */
export interface Around {
  begin(tx: Tx): Promise<void>;
  end(tx: Tx, results: readonly ItemResult[]): Promise<void>;
}

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
  async run(action: Action, items: readonly SeenItem[], operator: Operator): Promise<ItemResult[]> {
    const results: ItemResult[] = [];
    for (const item of items) results.push(...(await this.runTogether(action, [item], operator)));
    return results;
  }

  /** All of them in one transaction, in order. */
  async runTogether(
    action: Action,
    items: readonly SeenItem[],
    operator: Operator,
    around?: Around,
  ): Promise<ItemResult[]> {
    const ids = items.map(({ id }) => id);
    const rows = await this.unitOfWork.read((tx) => this.eventLog.search(tx, { ids, limit: ids.length }));
    const lines = linesOf(rows);
    for (let conflicts = 1; ; conflicts += 1) {
      try {
        return await this.unitOfWork.write(async (tx) => {
          await around?.begin(tx);
          await this.sagas.lock(tx, lines);
          const results: ItemResult[] = [];
          for (const item of items) results.push(await this.one(tx, action, item, operator));
          await around?.end(tx, results);
          return results;
        });
      } catch (error) {
        if (!(error instanceof TransactionConflictError) || conflicts > CONFLICT_RETRIES_MAX) throw error;
        // A worker has one of the entities in hand.
        await this.clock.sleep(CONFLICT_DELAY_MS * conflicts);
      }
    }
  }

  private async one(tx: Tx, action: Action, item: SeenItem, operator: Operator): Promise<ItemResult> {
    const changed = await this.eventLog[action](tx, item.id, item.generation, this.clock.now());
    const now = await this.eventLog.byId(tx, item.id);
    if (!now) return { id: item.id, result: 'not-found', status: null, generation: null, reason: NOT_FOUND };
    if (changed) {
      await this.record(tx, action, now, operator);
      return changedResult(action, now);
    }
    const missed = missedResult(action, now, item);
    if (operator.jobId === undefined) await this.recordMissed(tx, action, now, missed, operator);
    return missed;
  }

  private async record(tx: Tx, action: Action, row: EventRow, operator: Operator): Promise<void> {
    const { eventKey, status, generation, attempt } = row;
    const { actor, jobId } = operator;
    const at = this.clock.now();
    const job = jobId === undefined ? '' : ` in job ${jobId}`;
    const why = operator.reason === '' ? '' : `: ${operator.reason}`;
    const reason = `${action === 'redrive' ? 'redriven' : 'discarded'} by an operator${job}${why}`;
    await this.eventLog.record(tx, [{ eventKey, at, actor, decision: status, reason, generation, attempt }]);
    const detail = { eventKey, generation, reason: operator.reason, ...(jobId === undefined ? {} : { jobId }) };
    await this.audit.record(tx, { at, actor, action, target: `event:${row.id}`, detail });
  }

  /**
   * Who came second acted too, and an audit that names only the faster one would tell half of it. Of a job its own rows
   * tell what it missed, item by item.
   */
  private async recordMissed(
    tx: Tx,
    action: Action,
    { id, eventKey, generation }: EventRow,
    { result }: ItemResult,
    { actor, reason }: Operator,
  ): Promise<void> {
    const detail = { eventKey, generation, result, reason };
    const entry = { at: this.clock.now(), actor, action: `${action}.missed`, target: `event:${id}`, detail };
    await this.audit.record(tx, entry);
  }
}

const NOT_FOUND = 'no event has this id';

function changedResult(action: Action, { id, status, generation }: EventRow): ItemResult {
  const result = action === 'redrive' ? 'redriven' : 'discarded';
  return { id, result, status, generation, reason: `${result}: the row says what becomes of it` };
}

function missedResult(action: Action, { id, status, generation }: EventRow, seen: SeenItem): ItemResult {
  if (generation !== seen.generation) {
    const reason = `the event is ${status} in generation ${generation}, not ${seen.generation} as seen`;
    return { id, result: 'changed-meanwhile', status, generation, reason };
  }
  const result = action === 'redrive' ? 'not-dead' : 'not-waiting';
  return { id, result, status, generation, reason: `the event is ${status}` };
}

/**
 * Each transaction of a strict entity locks its row first, an operator's too; in key order, as all who lock several.
 * Whatever stands in a line was written under that lock, so the entity row exists; what became of the declaration of its
 * type since does not matter.
 */
function linesOf(rows: readonly EventRow[]): { key: string }[] {
  const keys = rows.flatMap(({ laneSeq, entityKey }) => (laneSeq !== null && entityKey !== null ? [entityKey] : []));
  return [...new Set(keys)].sort().map((key) => ({ key }));
}

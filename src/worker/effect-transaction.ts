import { Inject, Injectable } from '@nestjs/common';
import { TransactionConflictError } from '../database/database-errors.js';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import { EventLog, type EventStatus, type HistoryEntry } from '../event-log/event-log.js';
import type { EntitySnapshot } from '../saga/decide.js';
import { Outbox, type OutboxEntry } from '../saga/outbox.js';
import { SagaStore, type EntityChange, type EntityWrite, type KeyedEntity } from '../saga/saga-store.js';
import { deadLetterEntry } from './dead-letter.js';
import { HandlerRunner } from './handler-runner.js';
import { planGroup, type Plan, type Planned } from './plan.js';
import { NotBegunError } from './run-errors.js';
import { strictKeyOf, type LeasedItem } from './work-item.js';
import { WORKER_OPTIONS, type WorkerOptions } from './worker-options.js';

export type EffectResult =
  | { readonly kind: 'committed'; readonly statuses: readonly EventStatus[] }
  /** A row of at least one event exists already; nothing was written. Go by the rows. */
  | { readonly kind: 'known' }
  /** The row is no longer as this run counted it, or it is not its turn; nothing was written. Leave it. */
  | { readonly kind: 'overtaken' };

/** Ends the transaction without an error of its own. */
class RollBack extends Error {
  constructor(readonly result: EffectResult) {
    super('roll back');
  }
}

/**
 * One transaction: log rows, order, state machines, handlers, entity rows, outbox and history of a group of events
 * (protocol.md, "Worker path" 4). Rejects with what `UnitOfWork.write` rejects with, with the reason of an aborted
 * signal, or with `HandlerFailedError`, which names the item at fault. A message's group may hold many events; a row is
 * run alone.
 */
@Injectable()
export class EffectTransaction {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly sagas: SagaStore,
    private readonly outbox: Outbox,
    private readonly handlers: HandlerRunner,
    @Inject(WORKER_OPTIONS) private readonly options: WorkerOptions,
  ) {}

  async run(items: readonly LeasedItem[], signal: AbortSignal, now: number): Promise<EffectResult> {
    const strict = entitiesOf(items.filter((item) => strictKeyOf(item) !== null));
    const latest = entitiesOf(items.filter((item) => strictKeyOf(item) === null));
    await this.sagas.prepare(strict);
    try {
      return await this.unitOfWork.write((tx) => this.work(tx, items, { strict, latest }, signal, now));
    } catch (error) {
      if (error instanceof RollBack) return error.result;
      throw error;
    }
  }

  private async work(
    tx: Tx,
    items: readonly LeasedItem[],
    entities: { strict: readonly KeyedEntity[]; latest: readonly KeyedEntity[] },
    signal: AbortSignal,
    now: number,
  ): Promise<EffectResult> {
    if (signal.aborted) throw new NotBegunError({ cause: signal.reason });
    const before = new Map(await this.sagas.lock(tx, entities.strict));
    for (const [key, snapshot] of await this.sagas.load(tx, entities.latest)) before.set(key, snapshot);
    const lines = await this.eventLog.lines(
      tx,
      entities.strict.map(({ key }) => key),
    );
    const unfinishedRetryAt = now + (this.options.retryPolicy.delaysMs[0] ?? 0);
    const paused = await this.handlers.pausedOf(tx, items);
    const plan = planGroup({ items, entities: before, lines, now, unfinishedRetryAt, limits: this.options, paused });
    await this.writeRows(tx, plan);
    // Before the handlers: whoever writes the entity first holds it until its commit. Another transaction of the same
    // entity waits here and then misses its compare-and-set, so a handler's own first insert meets no second one.
    await this.writeEntities(tx, plan, before, now);
    const commands = await this.handlers.runAll(tx, plan.planned, signal);
    await this.outbox.add(tx, [...commands, ...deadLetters(plan, this.options.dlqTopic, now)]);
    await this.eventLog.record(
      tx,
      plan.planned.map((planned) => historyOf(planned, now)),
    );
    // The last look before the commit: whoever lost the lease rolls back. The key and the version decide all the same.
    signal.throwIfAborted();
    return { kind: 'committed', statuses: plan.planned.map(({ state }) => state.status) };
  }

  private async writeRows(tx: Tx, { planned }: Plan): Promise<void> {
    const fresh = planned.filter(({ item }) => item.origin.kind === 'message');
    const rows = fresh.map(({ item, state }) => ({ ...item.identity, ...state }));
    const inserted = await this.eventLog.insert(tx, rows);
    if (inserted.kind === 'duplicate') throw new RollBack({ kind: 'known' });
    for (const { item, state } of planned) {
      if (item.origin.kind !== 'row') continue;
      if (!(await this.eventLog.decide(tx, item.origin.version, state))) throw new RollBack({ kind: 'overtaken' });
    }
  }

  private async writeEntities(
    tx: Tx,
    { planned, entities }: Plan,
    before: ReadonlyMap<string, EntitySnapshot>,
    now: number,
  ): Promise<void> {
    const writes: EntityWrite[] = [];
    for (const entity of entitiesOf(planned.map(({ item }) => item))) {
      const [from, to] = [before.get(entity.key), entities.get(entity.key)];
      if (from && to && from !== to) writes.push({ entity, before: from, after: to });
    }
    if (!(await this.sagas.write(tx, writes))) {
      // Somebody moved the entity since it was read: all of it was decided on a state that is gone.
      throw new TransactionConflictError({ cause: new Error('an entity has another version') });
    }
    await this.sagas.recordChanges(
      tx,
      planned.flatMap((one) => changesOf(one, now)),
    );
  }
}

function entitiesOf(items: readonly LeasedItem[]): KeyedEntity[] {
  const byKey = new Map<string, KeyedEntity>();
  for (const { entity } of items) {
    for (const { ref, key } of entity ? [entity, ...entity.others] : []) byKey.set(key, { ref, key });
  }
  return [...byKey.values()].sort((a, b) => (a.key < b.key ? -1 : 1));
}

function changesOf({ item, apply, others }: Planned, at: number): EntityChange[] {
  const moved = [{ entity: item.entity, apply }, ...others];
  return moved.flatMap(({ entity, apply: move }) => {
    if (!entity || !move) return [];
    const { from, next, time, rank } = move;
    const states = { fromState: from, toState: next.state, createTime: time, eventRank: rank };
    return [{ entityKey: entity.key, eventKey: item.identity.eventKey, ...states, at }];
  });
}

function deadLetters({ planned }: Plan, dlqTopic: string, now: number): OutboxEntry[] {
  return planned
    .filter(({ state }) => state.status === 'DEAD')
    .map(({ item, state }) => deadLetterEntry(item, state, dlqTopic, now));
}

function historyOf({ item, state, reason }: Planned, at: number): HistoryEntry {
  const row = item.origin.kind === 'row' ? item.origin : null;
  return {
    eventKey: item.identity.eventKey,
    at,
    actor: row ? 'retry' : 'worker',
    decision: state.status,
    reason,
    generation: row ? row.version.generation : 0,
    attempt: state.attempt,
  };
}

import { Inject, Injectable } from '@nestjs/common';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import { EventLog, type EventStatus, type RowState } from '../event-log/event-log.js';
import { Random } from '../runtime/random.js';
import { Outbox } from '../saga/outbox.js';
import { SagaStore } from '../saga/saga-store.js';
import { deadLetterEntry } from './dead-letter.js';
import { afterFailure, describeFailure } from './retry-policy.js';
import { strictKeyOf, type WorkItem } from './work-item.js';
import { WORKER_OPTIONS, type WorkerOptions } from './worker-options.js';

export type FailureResult =
  | { readonly kind: 'written'; readonly status: EventStatus }
  /** A row is there already: go by it. */
  | { readonly kind: 'known' }
  /** The row is no longer as this run counted it: what stands there stands, and nothing was written. */
  | { readonly kind: 'overtaken' };

/**
 * Writes what follows a failed run, in a transaction of its own after the rollback (protocol.md, "Failure rows"): from a
 * message by insert only, from a row by compare-and-set only. Never an upsert: a failure that arrives late would replace
 * an outcome.
 */
@Injectable()
export class FailureWriter {
  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly eventLog: EventLog,
    private readonly sagas: SagaStore,
    private readonly outbox: Outbox,
    private readonly random: Random,
    @Inject(WORKER_OPTIONS) private readonly options: WorkerOptions,
  ) {}

  /** Without `copy` for what lies on the dead-letter topic already: a second record there would be told as a second death. */
  async write(item: WorkItem, error: unknown, now: number, { copy } = { copy: true }): Promise<FailureResult> {
    const key = strictKeyOf(item);
    const strict = key !== null && item.entity ? [{ ref: item.entity.ref, key }] : [];
    await this.sagas.prepare(strict);
    return this.unitOfWork.write(async (tx) => {
      await this.sagas.lock(tx, strict);
      const { state, reason } = await this.stateAfter(tx, item, error, now, key);
      const written =
        item.origin.kind === 'row' ? await this.fromRow(tx, item, state) : await this.fromMessage(tx, item, state);
      if (written.kind !== 'written') return written;
      if (state.status === 'DEAD' && copy) {
        await this.outbox.add(tx, [deadLetterEntry(item, state, this.options.dlqTopic, now)]);
      }
      await this.record(tx, item, state, reason);
      return written;
    });
  }

  private async fromRow(tx: Tx, item: WorkItem, state: RowState): Promise<FailureResult> {
    if (item.origin.kind !== 'row') throw new Error('not a row');
    const written = await this.eventLog.decide(tx, item.origin.version, state);
    return written ? { kind: 'written', status: state.status } : { kind: 'overtaken' };
  }

  private async fromMessage(tx: Tx, item: WorkItem, state: RowState): Promise<FailureResult> {
    const inserted = await this.eventLog.insert(tx, [{ ...item.identity, ...state }]);
    return inserted.kind === 'inserted' ? { kind: 'written', status: state.status } : { kind: 'known' };
  }

  private async stateAfter(
    tx: Tx,
    item: WorkItem,
    error: unknown,
    now: number,
    strictKey: string | null,
  ): Promise<{ state: RowState; reason: string }> {
    const row = item.origin.kind === 'row' ? item.origin : null;
    const attempt = row ? row.version.attempt : 1;
    const next = afterFailure(error, attempt, this.options.retryPolicy, this.random.fraction());
    const failure = describeFailure(error);
    const line = strictKey === null ? undefined : (await this.eventLog.lines(tx, [strictKey])).get(strictKey);
    const laneSeq = row ? row.row.laneSeq : strictKey === null ? null : (line?.laneSeqMax ?? 0) + 1;
    const common = { attempt, laneSeq, errorCode: failure.code, errorMessage: failure.message, decidedAt: now };
    if (next.kind === 'dead') {
      return {
        state: { ...common, status: 'DEAD', dueAt: null },
        reason: `${next.reason}: ${failure.code}: ${failure.message}`,
      };
    }
    if (next.kind === 'wait') {
      const reason = `waits, at no cost of an attempt: ${failure.message}`;
      return { state: { ...common, status: 'RETRY', dueAt: now + next.delayMs }, reason };
    }
    const reason = `run ${attempt} failed, next one in ${next.delayMs} ms: ${failure.code}: ${failure.message}`;
    return { state: { ...common, status: 'RETRY', dueAt: now + next.delayMs }, reason };
  }

  private async record(tx: Tx, item: WorkItem, state: RowState, reason: string): Promise<void> {
    const row = item.origin.kind === 'row' ? item.origin : null;
    const { eventKey } = item.identity;
    const generation = row?.version.generation ?? 0;
    const entry = { eventKey, at: state.decidedAt, actor: row ? 'retry' : 'worker', decision: state.status, reason };
    await this.eventLog.record(tx, [{ ...entry, generation, attempt: state.attempt }]);
  }
}

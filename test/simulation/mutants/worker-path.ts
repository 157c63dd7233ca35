import { TransactionConflictError } from '../../../src/database/database-errors.js';
import type { Tx, UnitOfWork } from '../../../src/database/unit-of-work.js';
import type { EventIdentity, EventLog, RowState } from '../../../src/event-log/event-log.js';
import type { EventLeases } from '../../../src/idempotency/event-leases.js';
import type { IdempotencyStore } from '../../../src/idempotency/idempotency-store.js';
import { UnrecoverableError } from '../../../src/saga/unrecoverable-error.js';
import { decodeMessage } from '../../../src/transport/message-codec.js';
import type { Delivery } from '../../../src/transport/transport.js';
import type { EffectTransaction } from '../../../src/worker/effect-transaction.js';
import type { EventConsumer } from '../../../src/worker/event.consumer.js';
import type { EventFinisher } from '../../../src/worker/event-finisher.js';
import type { EventProcessor } from '../../../src/worker/event-processor.js';
import type { FailureWriter } from '../../../src/worker/failure-writer.js';
import type { LeasedItem, WorkItem } from '../../../src/worker/work-item.js';
import type { Mutation, Parts } from '../roles/mutation.js';
import { EPOCH_MS } from '../world/world.js';
import { change, patch, sql } from './patch.js';

const nowOf = ({ world }: Parts): number => Math.floor(EPOCH_MS + world.now);

async function settle({ origin }: WorkItem): Promise<void> {
  if (origin.kind === 'message') await origin.delivery.settle().catch(() => undefined);
}

/** Release and settle first, then the row of the failure. */
function failsLate(isMeant: (error: unknown) => boolean): Mutation['replace'] {
  return {
    processor: (processor: EventProcessor, parts: Parts) =>
      patch(processor, (right) => ({
        fail: async (item: LeasedItem, error: unknown) => {
          if (item.origin.kind !== 'message' || !isMeant(error)) return right['fail'](item, error);
          await parts.get<EventLeases>('leases').release(item.lease);
          await settle(item);
          await parts.get<FailureWriter>('failures').write(item, error, nowOf(parts));
          return { kind: 'finished' };
        },
      })),
  };
}

/** Wrong on the way from the transport to the commit, and after it. */
export const WORKER_PATH_MUTANTS: readonly Mutation[] = [
  {
    name: 'a message that finds PROCESSING is dropped',
    replace: {
      guard: (guard: IdempotencyStore) =>
        patch(guard, (right) => ({
          acquire: async (...given: Parameters<IdempotencyStore['acquire']>) => {
            const result = await right.acquire(...given);
            return result.kind === 'held' ? { kind: 'success' } : result;
          },
        })),
    },
  },
  {
    name: 'settled before the commit',
    replace: {
      consumer: (consumer: EventConsumer) =>
        patch(consumer, (right) => ({
          consume: async (batch: readonly Delivery[]) => {
            for (const delivery of batch) await delivery.settle().catch(() => undefined);
            await right.consume(batch);
          },
        })),
    },
  },
  {
    name: 'SUCCESS before the commit',
    replace: {
      effects: (effects: EffectTransaction, parts: Parts) =>
        patch(effects, (right) => ({
          run: async (items: readonly LeasedItem[], signal: AbortSignal, now: number) => {
            const guard = parts.get<IdempotencyStore>('guard');
            for (const { lease } of items)
              if (lease.token !== null) await guard.complete(lease.key, lease.token, 600_000).catch(() => undefined);
            return right.run(items, signal, now);
          },
        })),
    },
  },
  {
    name: 'SUCCESS on a row that waits',
    replace: {
      finisher: (finisher: EventFinisher, parts: Parts) =>
        patch(finisher, () => ({
          endLease: (item: LeasedItem) => parts.get<EventLeases>('leases').complete(item.lease),
        })),
    },
  },
  {
    name: 'a duplicate key is taken as applied',
    replace: {
      processor: (processor: EventProcessor, parts: Parts) =>
        patch(processor, () => ({
          goByRows: async (group: readonly LeasedItem[]) => {
            const finisher = parts.get<EventFinisher>('finisher');
            for (const item of group) await finisher.finish(item, 'APPLIED', nowOf(parts));
            return { kind: 'finished' };
          },
        })),
    },
  },
  {
    name: 'release, settle, then the dead letter',
    replace: failsLate((error) => error instanceof UnrecoverableError),
  },
  { name: 'settle before the retry row', replace: failsLate((error) => !(error instanceof UnrecoverableError)) },
  {
    name: 'log row in another transaction than the effect',
    replace: {
      eventLog: (eventLog: EventLog, parts: Parts) =>
        patch(eventLog, (right) => ({
          insert: (_: Tx, rows: readonly (EventIdentity & RowState)[]) =>
            parts.get<UnitOfWork>('unitOfWork').write((tx) => right.insert(tx, rows)),
        })),
    },
  },
  {
    name: 'failure row by upsert',
    replace: {
      failures: (failures: FailureWriter, parts: Parts) =>
        patch(failures, () => ({
          fromMessage: async (tx: Tx, item: WorkItem, state: RowState) => {
            const inserted = await parts.get<EventLog>('eventLog').insert(tx, [{ ...item.identity, ...state }]);
            if (inserted.kind === 'duplicate')
              await change(
                tx,
                'UPDATE event_log SET status = ?, attempt = ?, due_at = ?, decided_at = ? WHERE msg_id_or_hash = ?',
                ...[state.status, state.attempt, state.dueAt, state.decidedAt, item.identity.eventKey],
              );
            return { kind: 'written', status: state.status };
          },
        })),
    },
  },
  {
    name: 'unknown commit taken as committed',
    replace: {
      unitOfWork: (unitOfWork: UnitOfWork) =>
        patch(unitOfWork, (right) => ({
          write: async (work: (tx: Tx) => Promise<unknown>) => {
            let done: { readonly value: unknown } | null = null;
            try {
              return await right.write(async (tx) => {
                done = null;
                const value = await work(tx);
                done = { value };
                return value;
              });
            } catch (error) {
              const isUnknown = error instanceof TransactionConflictError;
              if (isUnknown && done !== null) return (done as { value: unknown }).value;
              throw error;
            }
          },
        })),
    },
  },
  {
    name: 'failed row of a batch written late',
    replace: {
      processor: (processor: EventProcessor) =>
        patch(processor, (right) => ({
          afterError: async (group: readonly LeasedItem[], error: unknown) => {
            const step = (await right['afterError'](group, error)) as { kind: string; groups?: unknown[] };
            const [before, failed, after] = step.groups ?? [];
            return step.kind === 'split' && step.groups?.length === 3
              ? { ...step, groups: [before, after, failed] }
              : step;
          },
        })),
    },
  },
  {
    name: 'release without the token',
    replace: {
      guard: (guard: IdempotencyStore) =>
        patch(guard, (right) => ({
          release: (key: string, token: string) =>
            right['run']!({ step: 'release', key, token, ttlMs: 0 }, () => ({ next: null, result: 'done' })),
        })),
    },
  },
  {
    name: 'the naive design: SETNX, then consume and write, no unique key',
    replace: {
      consumer: (consumer: EventConsumer, parts: Parts) =>
        patch(consumer, () => ({
          consume: async (batch: readonly Delivery[]) => {
            for (const delivery of batch) await consumeNaively(delivery, parts);
          },
        })),
    },
  },
];

/** As in the articles: whoever sets the key first works, everybody else drops the message. */
async function consumeNaively(delivery: Delivery, parts: Parts): Promise<void> {
  const decoded = decodeMessage(delivery.body);
  if (decoded.kind !== 'message') return;
  const { app, corpId, eventKey, entityKey } = decoded.message;
  const guard = parts.get<IdempotencyStore>('guard');
  const token = `naive-${parts.world.now}`;
  const key = `${corpId}:${eventKey}`;
  const acquired = await guard.acquire(key, token, 6_000, 0).catch(() => ({ kind: 'acquired' }));
  if (acquired.kind === 'acquired') {
    await parts.get<UnitOfWork>('unitOfWork').write(async (tx) => {
      await sql(
        tx,
        'INSERT INTO ledger (event_key, app, corp_id, entity_key, from_state, to_state) VALUES (?, ?, ?, ?, ?, ?)',
        ...[eventKey, app, corpId, entityKey, null, null],
      );
    });
    await guard.complete(key, token, 600_000).catch(() => undefined);
  }
  await delivery.settle();
}

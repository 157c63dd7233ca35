import type { Tx, UnitOfWork } from '../../../src/database/unit-of-work.js';
import type { EventIdentity, EventLog, EventRow, RowState, RowVersion } from '../../../src/event-log/event-log.js';
import type { EntitySnapshot } from '../../../src/saga/decide.js';
import type { Outbox } from '../../../src/saga/outbox.js';
import type { EntityWrite, SagaStore } from '../../../src/saga/saga-store.js';
import type { RetryConsumer } from '../../../src/worker/retry-consumer.js';
import type { RowSteps } from '../../../src/worker/row-steps.js';
import type { Mutation, Parts } from '../roles/mutation.js';
import { EPOCH_MS } from '../world/world.js';
import { change, patch, sql } from './patch.js';

type Snapshots = Map<string, EntitySnapshot>;

function shifted(snapshots: Snapshots, seconds: number): Snapshots {
  return new Map(
    [...snapshots].map(([key, one]) => [
      key,
      one.lastEventTime === null ? one : { ...one, lastEventTime: one.lastEventTime + seconds },
    ]),
  );
}

/** Wrong in the database: rows, lines, entities, redrives, outbox. */
export const ROW_MUTANTS: readonly Mutation[] = [
  {
    // The wake-up is cut off, and nobody looks.
    name: 'what waits for a paused handler relies on being woken',
    replace: {
      eventLog: (log: EventLog) =>
        patch(log, (right) => ({
          wake: () => Promise.resolve(0),
          sleepOn: (tx: Tx, row: EventRow) => right.sleepOn(tx, row, Number.MAX_SAFE_INTEGER),
        })),
    },
  },
  {
    name: 'attempts used up not checked before a run',
    replace: {
      rowSteps: (steps: RowSteps) => patch(steps, () => ({ isExhausted: () => false })),
    },
  },
  {
    name: 'compare-and-set miss without rollback',
    replace: {
      sagas: (sagas: SagaStore) =>
        patch(sagas, (right) => ({
          write: async (tx: Tx, writes: readonly EntityWrite[]) => {
            await right.write(tx, writes);
            return true;
          },
        })),
    },
  },
  {
    name: 'DEAD run by the retry consumer',
    replace: {
      retries: (retries: RetryConsumer, parts: Parts) =>
        patch(retries, (right) => ({
          pass: async () => {
            const now = Math.floor(EPOCH_MS + parts.world.now);
            await parts
              .get<UnitOfWork>('unitOfWork')
              .write((tx) =>
                change(tx, "UPDATE event_log SET status = 'RETRY', due_at = ? WHERE status = 'DEAD'", now),
              );
            return right.pass();
          },
        })),
    },
  },
  {
    name: '<= in the time check',
    replace: {
      sagas: (sagas: SagaStore) =>
        patch(sagas, (right) => ({
          lock: async (...given: Parameters<SagaStore['lock']>) => shifted(await right.lock(...given), 1),
          load: async (...given: Parameters<SagaStore['load']>) => shifted(await right.load(...given), 1),
          write: (tx: Tx, writes: readonly EntityWrite[]) =>
            right.write(
              tx,
              writes.map(({ entity, before, after }) => {
                const isSame = after.lastEventTime !== null && after.lastEventTime === before.lastEventTime;
                const lastEventTime = isSame ? (after.lastEventTime ?? 0) - 1 : after.lastEventTime;
                return { entity, before, after: { ...after, lastEventTime } };
              }),
            ),
        })),
    },
  },
  {
    name: 'REJECTED moves the time',
    replace: {
      eventLog: (eventLog: EventLog) =>
        patch(eventLog, (right) => ({
          insert: async (tx: Tx, rows: readonly (EventIdentity & RowState)[]) => {
            const inserted = await right.insert(tx, rows);
            for (const { status, createTime, entityKey } of rows)
              if (status === 'REJECTED')
                await change(
                  tx,
                  'UPDATE saga SET last_event_time = ? WHERE entity_key = ? AND version > 0',
                  createTime,
                  entityKey,
                );
            return inserted;
          },
        })),
    },
  },
  {
    name: 'no parking',
    replace: { eventLog: (eventLog: EventLog) => patch(eventLog, () => ({ lines: () => Promise.resolve(new Map()) })) },
  },
  {
    name: 'parked rows not counted as waiting',
    replace: {
      eventLog: (eventLog: EventLog) =>
        patch(eventLog, (right) => ({
          lines: async (tx: Tx, keys: readonly string[]) => {
            const lines = await right.lines(tx, keys);
            for (const [key, line] of lines) {
              const parked = await sql(tx, "SELECT id FROM event_log WHERE entity_key = ? AND status = 'PARKED'", key);
              lines.set(key, { ...line, waiting: line.waiting - parked.length });
            }
            return lines;
          },
        })),
    },
  },
  {
    name: 'dead rows not counted as waiting',
    replace: {
      eventLog: (eventLog: EventLog) =>
        patch(eventLog, (right) => ({
          lines: async (tx: Tx, keys: readonly string[]) => {
            const lines = await right.lines(tx, keys);
            for (const [key, line] of lines) {
              const dead = await sql(tx, "SELECT id FROM event_log WHERE entity_key = ? AND status = 'DEAD'", key);
              lines.set(key, { ...line, waiting: line.waiting - dead.length });
            }
            return lines;
          },
        })),
    },
  },
  {
    name: 'redrive without compare',
    replace: {
      eventLog: (eventLog: EventLog) =>
        patch(eventLog, () => ({
          redrive: async (tx: Tx, id: number, _: number, now: number) => {
            const text = `UPDATE event_log SET status = 'REDRIVEN', generation = generation + 1, attempt = 0, due_at = ?
              WHERE id = ?`;
            return (await change(tx, text, now, id)) > 0;
          },
        })),
    },
  },
  {
    name: 'redrive to the tail',
    replace: {
      eventLog: (eventLog: EventLog) =>
        patch(eventLog, (right) => ({
          redrive: async (tx: Tx, id: number, generation: number, now: number) => {
            const moved = await right.redrive(tx, id, generation, now);
            const row = await right.byId(tx, id);
            if (!moved || !row || row.laneSeq === null) return moved;
            const [last] = await sql(
              tx,
              'SELECT MAX(lane_seq) AS lane_seq FROM event_log WHERE entity_key = ?',
              row.entityKey,
            );
            await change(tx, 'UPDATE event_log SET lane_seq = ? WHERE id = ?', Number(last?.lane_seq) + 1, id);
            return true;
          },
        })),
    },
  },
  {
    name: 'a row is decided without compare',
    replace: {
      eventLog: (eventLog: EventLog) =>
        patch(eventLog, () => ({
          decide: async (tx: Tx, { id }: RowVersion, state: RowState) => {
            const text = `UPDATE event_log SET status = ?, attempt = ?, lane_seq = ?, due_at = ?, error_code = ?,
              error_message = ?, decided_at = ? WHERE id = ?`;
            const { status, attempt, laneSeq, dueAt, errorCode, errorMessage, decidedAt } = state;
            const values = [status, attempt, laneSeq, dueAt, errorCode, errorMessage, decidedAt, id];
            return (await change(tx, text, ...values)) > 0;
          },
        })),
    },
  },
  {
    name: 'no turn is passed',
    replace: { eventLog: (eventLog: EventLog) => patch(eventLog, () => ({ passTurn: () => Promise.resolve() })) },
  },
  {
    name: 'a run is counted without compare, by nobody',
    replace: { eventLog: (eventLog: EventLog) => patch(eventLog, () => ({ count: () => Promise.resolve(true) })) },
  },
  {
    name: 'entity rows of strict entities are not locked',
    replace: {
      sagas: (sagas: SagaStore) =>
        patch(sagas, (right) => ({ lock: (...given: Parameters<SagaStore['lock']>) => right.load(...given) })),
    },
  },
  {
    name: 'a command goes before it is delivered',
    replace: {
      outbox: (outbox: Outbox) =>
        patch(outbox, (right) => ({
          pick: async (tx: Tx, now: number, hiddenUntil: number, limit: number) => {
            const picked = await right.pick(tx, now, hiddenUntil, limit);
            await right.delivered(
              tx,
              picked.map(({ id }) => id),
            );
            return picked;
          },
        })),
    },
  },
];

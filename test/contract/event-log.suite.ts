import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { UnitOfWork } from '../../src/database/unit-of-work.js';
import type { EventIdentity, EventLog, EventRow, EventStatus, RowState } from '../../src/event-log/event-log.js';
import { errorGroupOf } from '../../src/event-log/error-group.js';
import { OUTCOMES, RUNNABLE, WAITING } from '../../src/event-log/status.js';
import { describeEventLogPicking } from './event-log.picking.js';
import { describeEventLogSleeping } from './event-log.sleeping.js';
import { describeEventLogReading } from './event-log.reading.js';
import type { StoreHarness } from './store-harness.js';

export function identity(eventKey: string, more: Partial<EventIdentity> = {}): EventIdentity {
  return {
    ...{ corpId: 'ww1', eventType: 'thing', eventKey, app: 'app', changeType: null, entityKey: null, msgId: null },
    ...{ createTime: 1_700_000_000, plaintext: `<xml>${eventKey}</xml>`, receivedAt: 1_000, facts: '{}', ...more },
  };
}

export function state(status: EventStatus, more: Partial<RowState> = {}): RowState {
  return {
    status,
    attempt: 0,
    laneSeq: null,
    dueAt: null,
    errorCode: null,
    errorMessage: null,
    decidedAt: 2_000,
    ...more,
  };
}

/** A row of the strict entity `e`. */
export function inLine(
  key: string,
  laneSeq: number,
  status: EventStatus,
  dueAt: number | null = 0,
): EventIdentity & RowState {
  return { ...identity(key, { entityKey: 'e' }), ...state(status, { laneSeq, dueAt }) };
}

/** Each call in a transaction of its own. */
export class EventLogProbe {
  constructor(
    readonly log: EventLog,
    readonly unitOfWork: UnitOfWork,
  ) {}

  put(...rows: (EventIdentity & RowState)[]): Promise<unknown> {
    return this.unitOfWork.write((tx) => this.log.insert(tx, rows));
  }

  async row(eventKey: string): Promise<EventRow> {
    const rows = await this.unitOfWork.read((tx) => this.log.search(tx, { eventKeys: [eventKey], limit: 1 }));
    if (!rows[0]) throw new Error(`${eventKey} has no row`);
    return rows[0];
  }

  async pick(now: number, limit = 10): Promise<string[]> {
    return (await this.unitOfWork.write((tx) => this.log.pick(tx, now, now + 1_000, limit))).map(
      ({ eventKey }) => eventKey,
    );
  }
}

/** The promise of the port, for any adapter. */
export function describeEventLog(name: string, harness: StoreHarness<EventLog>): void {
  describe(name, () => {
    let probe: EventLogProbe;
    beforeEach(async () => {
      const { store, unitOfWork } = await harness.make();
      probe = new EventLogProbe(store, unitOfWork);
    });
    afterEach(() => harness.close());

    describeInsert(() => probe);
    describeDecide(() => probe);
    describeCount(() => probe);
    describeEventLogPicking(() => probe);
    describeEventLogSleeping(() => probe);
    describeOperator(() => probe);
    describeEventLogReading(() => probe);
  });
}

function describeInsert(probe: () => EventLogProbe): void {
  describe('insert', () => {
    it('writes rows in generation 0, which read back as given', async () => {
      const row = {
        ...identity('k', { changeType: 'c', entityKey: 'e', msgId: '7283920000000000001', createTime: null }),
        ...state('DEAD', { attempt: 3, laneSeq: 2, dueAt: 5, errorCode: 'E', errorMessage: '错误 😀' }),
      };
      await probe().put(row);
      const errorGroup = errorGroupOf('E', '错误 😀');
      expect(await probe().row('k')).toEqual({
        ...{ ...row, id: expect.any(Number), generation: 0, runToken: null, errorGroup },
      });
    });

    it('is nothing for no rows', async () => {
      expect(await probe().put()).toEqual({ kind: 'inserted' });
    });

    it('answers duplicate and writes none of them when one key is taken', async () => {
      await probe().put({ ...identity('b'), ...state('APPLIED') });
      const rows = ['a', 'b', 'c'].map((key) => ({ ...identity(key), ...state('STALE') }));
      expect(await probe().put(...rows)).toEqual({ kind: 'duplicate' });
      expect(await probe().row('b')).toMatchObject({ status: 'APPLIED' });
      await expect(probe().row('a')).rejects.toThrow('has no row');
    });

    it('tells keys apart by corp, type and key, in every letter and blank', async () => {
      const others = [
        identity('k'),
        identity('K'),
        identity('k '),
        identity('k', { corpId: 'WW1' }),
        identity('k', { eventType: 'Thing' }),
      ];
      expect(await probe().put(...others.map((other) => ({ ...other, ...state('APPLIED') })))).toEqual({
        kind: 'inserted',
      });
      expect(await probe().put({ ...identity('k', { app: 'other' }), ...state('APPLIED') })).toEqual({
        kind: 'duplicate',
      });
    });

    it('is undone by a rollback', async () => {
      const failed = probe().unitOfWork.write(async (tx) => {
        await probe().log.insert(tx, [{ ...identity('k'), ...state('APPLIED') }]);
        throw new Error('roll back');
      });
      await expect(failed).rejects.toThrow('roll back');
      expect(await probe().put({ ...identity('k'), ...state('APPLIED') })).toEqual({ kind: 'inserted' });
    });
  });
}

function describeDecide(probe: () => EventLogProbe): void {
  const decide = (row: EventRow, next: RowState): Promise<boolean> =>
    probe().unitOfWork.write((tx) => probe().log.decide(tx, row, next));

  describe('decide', () => {
    it.each(RUNNABLE)('replaces %s of the same generation and attempt', async (status) => {
      await probe().put({ ...identity('k'), ...state(status, { attempt: 1, dueAt: 5 }) });
      const row = await probe().row('k');
      const next = state('RETRY', { attempt: 2, dueAt: 9, errorCode: 'E', errorMessage: 'm', decidedAt: 3_000 });
      expect(await decide(row, next)).toBe(true);
      expect(await probe().row('k')).toEqual({ ...row, ...next, errorGroup: errorGroupOf('E', 'm') });
    });

    it.each([...OUTCOMES, 'DEAD' as const])('leaves %s', async (status) => {
      await probe().put({ ...identity('k'), ...state(status) });
      const row = await probe().row('k');
      expect(await decide(row, state('APPLIED'))).toBe(false);
      expect(await probe().row('k')).toEqual(row);
    });

    it.each(['generation', 'attempt', 'id'] as const)('leaves a row of another %s', async (field) => {
      await probe().put({ ...identity('k'), ...state('RETRY', { attempt: 1 }) });
      const row = await probe().row('k');
      expect(await decide({ ...row, [field]: row[field] + 1 }, state('APPLIED'))).toBe(false);
      expect(await probe().row('k')).toEqual(row);
    });

    it.each(WAITING)('leaves a strict row whose turn it is not: %s is before it', async (status) => {
      await probe().put(inLine('first', 1, status), inLine('second', 2, 'PARKED'));
      expect(await decide(await probe().row('second'), state('APPLIED', { laneSeq: 2 }))).toBe(false);
      expect(await probe().row('second')).toMatchObject({ status: 'PARKED' });
    });

    it('does not wait for what is behind, has an outcome, or belongs to another entity', async () => {
      await probe().put(inLine('done', 1, 'APPLIED'), inLine('own', 2, 'RETRY'), inLine('behind', 3, 'PARKED'), {
        ...inLine('other', 1, 'DEAD'),
        entityKey: 'f',
      });
      expect(await decide(await probe().row('own'), state('APPLIED', { laneSeq: 2 }))).toBe(true);
    });
  });
}

function describeCount(probe: () => EventLogProbe): void {
  const count = (row: EventRow, token: string): Promise<boolean> =>
    probe().unitOfWork.write((tx) => probe().log.count(tx, row, token));

  describe('count', () => {
    it.each(RUNNABLE)('adds one attempt and the token to %s, and nothing else', async (status) => {
      await probe().put({ ...identity('k'), ...state(status, { attempt: 1, dueAt: 5 }) });
      const row = await probe().row('k');
      expect(await count(row, 'mine')).toBe(true);
      expect(await probe().row('k')).toEqual({ ...row, attempt: 2, runToken: 'mine' });
    });

    it('succeeds again for a repeat with its own token, and counts once', async () => {
      await probe().put({ ...identity('k'), ...state('RETRY', { attempt: 1 }) });
      const row = await probe().row('k');
      await count(row, 'mine');
      expect(await count(row, 'mine')).toBe(true);
      expect(await count(row, 'theirs')).toBe(false);
      expect(await probe().row('k')).toMatchObject({ attempt: 2, runToken: 'mine' });
    });

    it('does not take an older run of the same token for this one', async () => {
      await probe().put({ ...identity('k'), ...state('RETRY', { attempt: 1 }) });
      const row = await probe().row('k');
      await count(row, 'mine');
      await count({ ...row, attempt: 2 }, 'theirs');
      expect(await count(row, 'mine')).toBe(false);
    });

    it.each([...OUTCOMES, 'DEAD' as const])('leaves %s', async (status) => {
      await probe().put({ ...identity('k'), ...state(status) });
      const row = await probe().row('k');
      expect(await count(row, 'mine')).toBe(false);
      expect(await probe().row('k')).toEqual(row);
    });

    it.each(['generation', 'attempt'] as const)('leaves a row of another %s', async (field) => {
      await probe().put({ ...identity('k'), ...state('RETRY') });
      const row = await probe().row('k');
      expect(await count({ ...row, [field]: row[field] + 1 }, 'mine')).toBe(false);
    });
  });
}

function describeOperator(probe: () => EventLogProbe): void {
  const redrive = (row: EventRow, generation = row.generation): Promise<boolean> =>
    probe().unitOfWork.write((tx) => probe().log.redrive(tx, row.id, generation, 5_000));
  const discard = (row: EventRow, generation = row.generation): Promise<boolean> =>
    probe().unitOfWork.write((tx) => probe().log.discard(tx, row.id, generation, 5_000));

  describe('redrive', () => {
    it('makes DEAD a REDRIVEN of the next generation, without attempts, due now, in its old place', async () => {
      await probe().put({ ...inLine('k', 3, 'DEAD', null), attempt: 4, errorCode: 'E' });
      const row = await probe().row('k');
      expect(await redrive(row)).toBe(true);
      const moved = { status: 'REDRIVEN', generation: 1, attempt: 0, dueAt: 5_000, laneSeq: 3, decidedAt: 5_000 };
      expect(await probe().row('k')).toEqual({ ...row, ...moved });
    });

    it('compares the generation seen', async () => {
      await probe().put({ ...identity('k'), ...state('DEAD') });
      const row = await probe().row('k');
      expect(await redrive(row, 1)).toBe(false);
      expect([await redrive(row), await redrive(row)]).toEqual([true, false]);
      expect(await probe().row('k')).toMatchObject({ generation: 1 });
    });

    it.each([...OUTCOMES, ...RUNNABLE])('leaves %s', async (status) => {
      await probe().put({ ...identity('k'), ...state(status) });
      const row = await probe().row('k');
      expect(await redrive(row)).toBe(false);
      expect(await probe().row('k')).toEqual(row);
    });
  });

  describe('discard', () => {
    it.each(WAITING)('ends %s, with nothing due any more', async (status) => {
      await probe().put({ ...identity('k'), ...state(status, { dueAt: 5 }) });
      const row = await probe().row('k');
      expect([await discard(row, 1), await discard(row), await discard(row)]).toEqual([false, true, false]);
      expect(await probe().row('k')).toEqual({ ...row, status: 'DISCARDED', dueAt: null, decidedAt: 5_000 });
    });

    it.each(OUTCOMES)('leaves %s', async (status) => {
      await probe().put({ ...identity('k'), ...state(status) });
      const row = await probe().row('k');
      expect(await discard(row)).toBe(false);
      expect(await probe().row('k')).toEqual(row);
    });
  });
}

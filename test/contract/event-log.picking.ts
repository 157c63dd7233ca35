import { describe, expect, it } from 'vitest';
import type { EventRow } from '../../src/event-log/event-log.js';
import { OUTCOMES, RUNNABLE } from '../../src/event-log/status.js';
import { identity, inLine, state, type EventLogProbe } from './event-log.suite.js';

/** How rows are taken for a run. */
export function describeEventLogPicking(probe: () => EventLogProbe): void {
  const hasDue = (now: number): Promise<boolean> => probe().unitOfWork.read((tx) => probe().log.hasDue(tx, now));
  const next = (now: number): Promise<EventRow | null> =>
    probe().unitOfWork.write((tx) => probe().log.pickNext(tx, 'e', now, now + 1_000));

  describe('pick', () => {
    it.each(RUNNABLE)('takes %s once it is due, and hides it', async (status) => {
      await probe().put({ ...identity('k'), ...state(status, { dueAt: 100 }) });
      expect([await hasDue(99), await probe().pick(99)]).toEqual([false, []]);
      expect([await hasDue(100), await probe().pick(100)]).toEqual([true, ['k']]);
      expect([await hasDue(1_099), await probe().pick(1_099)]).toEqual([false, []]);
      expect(await probe().row('k')).toMatchObject({ status, attempt: 0, dueAt: 1_100, runToken: null });
      expect(await probe().pick(1_100)).toEqual(['k']);
    });

    it.each([...OUTCOMES, 'DEAD' as const])('never takes %s', async (status) => {
      await probe().put({ ...identity('k'), ...state(status, { dueAt: 0 }) });
      expect([await hasDue(9_999), await probe().pick(9_999)]).toEqual([false, []]);
    });

    it('takes what was due first, and no more than asked for', async () => {
      const rows = [30, 10, 20].map((dueAt) => ({ ...identity(`k${dueAt}`), ...state('RETRY', { dueAt }) }));
      await probe().put(...rows);
      expect(await probe().pick(99, 2)).toEqual(['k10', 'k20']);
      expect(await probe().pick(99, 2)).toEqual(['k30']);
    });

    it('takes the first of a strict entity only, by its place and not by its time', async () => {
      await probe().put(
        inLine('second', 2, 'PARKED', 1),
        inLine('first', 1, 'RETRY', 50),
        inLine('third', 3, 'REDRIVEN', 2),
      );
      expect([await hasDue(49), await probe().pick(49)]).toEqual([false, []]);
      expect(await probe().pick(50)).toEqual(['first']);
    });

    it('takes nothing behind a dead one', async () => {
      await probe().put(inLine('first', 1, 'DEAD', null), inLine('second', 2, 'PARKED'));
      expect([await hasDue(99), await probe().pick(99), await next(99)]).toEqual([false, [], null]);
    });

    it('takes every due row of entities without a line', async () => {
      await probe().put(
        ...['a', 'b'].map((key) => ({ ...identity(key, { entityKey: 'e' }), ...state('RETRY', { dueAt: 0 }) })),
      );
      expect(await probe().pick(0)).toEqual(['a', 'b']);
    });
  });

  describe('pickNext', () => {
    it('takes the first row of the line when it is due, and hides it', async () => {
      await probe().put(inLine('second', 2, 'PARKED'), inLine('first', 1, 'PARKED'));
      expect(await next(10)).toMatchObject({ eventKey: 'first', dueAt: 1_010 });
      // Hidden, and still the first.
      expect(await next(11)).toBeNull();
    });

    it('leaves one that is not due yet, and an entity that has no line', async () => {
      await probe().put(inLine('first', 1, 'RETRY', 50), inLine('second', 2, 'PARKED'), inLine('done', 0, 'APPLIED'));
      expect(await next(49)).toBeNull();
      expect(await next(50)).toMatchObject({ eventKey: 'first' });
    });

    it('passes over outcomes', async () => {
      await probe().put(inLine('done', 1, 'APPLIED'), inLine('second', 2, 'PARKED'));
      expect(await next(0)).toMatchObject({ eventKey: 'second' });
    });
  });

  describe('postpone', () => {
    const postpone = (row: EventRow, dueAt: number): Promise<void> =>
      probe().unitOfWork.write((tx) => probe().log.postpone(tx, row, dueAt));

    it('moves the due time of a row that is as it was picked, and nothing else', async () => {
      await probe().put({ ...identity('k'), ...state('RETRY', { attempt: 1, dueAt: 5 }) });
      const row = await probe().row('k');
      await postpone(row, 77);
      expect(await probe().row('k')).toEqual({ ...row, dueAt: 77 });
      for (const moved of [
        { ...row, attempt: 2 },
        { ...row, generation: 1 },
      ])
        await postpone(moved, 99);
      expect(await probe().row('k')).toEqual({ ...row, dueAt: 77 });
    });

    it.each([...OUTCOMES, 'DEAD' as const])('leaves %s', async (status) => {
      await probe().put({ ...identity('k'), ...state(status) });
      await postpone(await probe().row('k'), 77);
      expect(await probe().row('k')).toMatchObject({ dueAt: null });
    });
  });
}

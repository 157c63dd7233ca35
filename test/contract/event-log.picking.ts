import { describe, expect, it } from 'vitest';
import type { EventRow } from '../../src/event-log/event-log.js';
import { isOutcome, OUTCOMES, RUNNABLE, type EventStatus } from '../../src/event-log/status.js';
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
      expect([await probe().pick(49), await hasDue(49)]).toEqual([[], false]);
      expect(await probe().pick(50)).toEqual(['first']);
    });

    it('takes nothing behind a dead one', async () => {
      await probe().put(inLine('first', 1, 'DEAD', null), inLine('second', 2, 'PARKED'));
      expect([await probe().pick(99), await next(99), await hasDue(99)]).toEqual([[], null, false]);
    });

    it('takes every due row of entities without a line', async () => {
      await probe().put(
        ...['a', 'b'].map((key) => ({ ...identity(key, { entityKey: 'e' }), ...state('RETRY', { dueAt: 0 }) })),
      );
      expect(await probe().pick(0)).toEqual(['a', 'b']);
    });
  });

  describeTurns(probe, hasDue);

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

/** A row that was due before its turn is looked at once; nobody but the store brings it back when its turn comes. */
function describeTurns(probe: () => EventLogProbe, hasDue: (now: number) => Promise<boolean>): void {
  const end = async (key: string, how: EventStatus | 'discard', at: number): Promise<void> => {
    const row = await probe().row(key);
    const done = await probe().unitOfWork.write((tx) =>
      how === 'discard'
        ? probe().log.discard(tx, row.id, row.generation, at)
        : probe().log.decide(
            tx,
            row,
            state(how, { laneSeq: row.laneSeq, dueAt: isOutcome(how) ? null : 900, decidedAt: at }),
          ),
    );
    expect(done).toBe(true);
  };

  describe('a row that waits for its turn', () => {
    it.each(RUNNABLE)('costs a poll nothing after one look: %s', async (status) => {
      await probe().put(
        inLine('first', 1, 'DEAD', null),
        inLine('second', 2, status, 10),
        inLine('third', 3, status, 99),
      );
      expect(await probe().pick(50)).toEqual([]);
      expect([await hasDue(50), await hasDue(99)]).toEqual([false, true]);
      expect(await probe().row('second')).toMatchObject({ status, attempt: 0, dueAt: null });
      expect(await probe().row('third')).toMatchObject({ dueAt: 99 });
    });

    it.each([...OUTCOMES, 'discard' as const])('is due by itself once the one before it ends: %s', async (how) => {
      for (const status of RUNNABLE) {
        const [first, second, third] = [`${status}1`, `${status}2`, `${status}3`] as const;
        const rows = [inLine(first, 1, 'RETRY', 100), inLine(second, 2, status), inLine(third, 3, 'PARKED')];
        await probe().put(...rows.map((row) => ({ ...row, entityKey: status })));
        expect(await probe().pick(50)).toEqual([]);
        await end(first, how, 60);
        expect([await hasDue(59), await hasDue(60)]).toEqual([false, true]);
        expect(await probe().pick(60)).toEqual([second]);
        expect(await probe().row(third)).toMatchObject({ dueAt: null });
      }
    });

    it('is due once the dead letter before it is discarded, and again after the worker that took it died', async () => {
      await probe().put(inLine('first', 1, 'DEAD', null), inLine('second', 2, 'PARKED'));
      // It stands in no line, so no turn is passed to it.
      await probe().put({ ...identity('loose', { entityKey: 'e' }), ...state('RETRY', { dueAt: 5_000 }) });
      await probe().pick(50);
      await end('first', 'discard', 60);
      expect(await probe().pick(60)).toEqual(['second']);
      expect([await probe().pick(1_059), await probe().pick(1_060)]).toEqual([[], ['second']]);
    });

    it.each(['RETRY', 'DEAD'] as const)('goes on waiting when the one before it becomes %s', async (status) => {
      await probe().put(inLine('first', 1, 'RETRY', 100), inLine('second', 2, 'PARKED'));
      await probe().pick(50);
      await end('first', status, 60);
      expect([await hasDue(899), await probe().pick(899)]).toEqual([false, []]);
    });

    it('leaves the first its own time, and others theirs, when one behind it is discarded', async () => {
      await probe().put(inLine('first', 1, 'RETRY', 500), inLine('second', 2, 'PARKED'), inLine('third', 3, 'PARKED'));
      await probe().put({ ...inLine('other', 1, 'DEAD', null), entityKey: 'f' });
      await probe().put({ ...inLine('behind', 2, 'PARKED'), entityKey: 'f' });
      await probe().pick(50);
      await end('second', 'discard', 60);
      expect([await hasDue(499), await probe().pick(499)]).toEqual([false, []]);
      expect(await probe().pick(500)).toEqual(['first']);
    });

    it('does not become due behind a dead letter, nor does the dead letter, when one between is discarded', async () => {
      await probe().put(inLine('first', 1, 'DEAD', null), inLine('second', 2, 'PARKED'), inLine('third', 3, 'PARKED'));
      await probe().pick(50);
      await end('second', 'discard', 60);
      expect([await hasDue(9_999), await probe().pick(9_999)]).toEqual([false, []]);
      expect(await probe().row('first')).toMatchObject({ status: 'DEAD', dueAt: null });
    });

    it('does not keep rows behind a thousand such from being found, poll by poll, and never runs before its turn', async () => {
      await probe().put(inLine('dead', 0, 'DEAD', null));
      for (let from = 1; from <= 4_500; from += 500) {
        await probe().put(
          ...Array.from({ length: 500 }, (_, index) => inLine(`k${from + index}`, from + index, 'PARKED', 1)),
        );
      }
      await probe().put({ ...identity('alone'), ...state('RETRY', { dueAt: 2 }) });
      const picked: string[] = [];
      let polls = 0;
      for (; (await hasDue(10)) && polls < 100; polls += 1) picked.push(...(await probe().pick(10)));
      expect(picked).toEqual(['alone']);
      expect(polls).toBeLessThan(10);
    });
  });
}

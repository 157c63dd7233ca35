import { describe, expect, it } from 'vitest';
import type { EventRow, RowError } from '../../src/event-log/event-log.js';
import { OUTCOMES, type EventStatus } from '../../src/event-log/status.js';
import { identity, inLine, state, type EventLogProbe } from './event-log.suite.js';

const PAUSED: RowError = { code: 'HANDLER_PAUSED', message: 'the handler A is paused' };
const OTHER: RowError = { code: 'HANDLER_PAUSED', message: 'the handler B is paused' };

/** How rows wait for something that somebody will say, and are woken. */
export function describeEventLogSleeping(probe: () => EventLogProbe): void {
  const wake = (error: RowError, now: number, limit = 100): Promise<number> =>
    probe().unitOfWork.write((tx) => probe().log.wake(tx, error, now, limit));
  const asleep = (key: string, { code, message }: RowError, status: EventStatus = 'RETRY', dueAt = 900) => ({
    ...identity(key),
    ...state(status, { dueAt, errorCode: code, errorMessage: message }),
  });

  describe('wake', () => {
    it('makes rows due that wait with this error, and no others', async () => {
      await probe().put(asleep('a', PAUSED), asleep('b', OTHER), asleep('c', PAUSED, 'RETRY', 40));
      await probe().put({ ...identity('d'), ...state('RETRY', { dueAt: 900 }) });
      expect(await wake(PAUSED, 50)).toBe(1);
      expect(await probe().row('a')).toMatchObject({ status: 'RETRY', attempt: 0, dueAt: 50 });
      expect(await probe().pick(50)).toEqual(['c', 'a']);
      expect(await probe().row('b')).toMatchObject({ dueAt: 900 });
      expect(await wake(PAUSED, 50)).toBe(2);
    });

    it('wakes as many as are asked for, until there are none', async () => {
      await probe().put(...['a', 'b', 'c'].map((key) => asleep(key, PAUSED)));
      const woken = [await wake(PAUSED, 50, 2), await wake(PAUSED, 50, 2), await wake(PAUSED, 50, 2)];
      expect(woken).toEqual([2, 1, 0]);
    });

    it.each([...OUTCOMES, 'DEAD', 'PARKED', 'REDRIVEN'] as const)('leaves %s', async (status) => {
      await probe().put(asleep('a', PAUSED, status));
      expect(await wake(PAUSED, 50)).toBe(0);
      expect(await probe().row('a')).toMatchObject({ status, dueAt: 900 });
    });

    it('does not let a row pass the one before it', async () => {
      const { code: errorCode, message: errorMessage } = PAUSED;
      await probe().put(inLine('first', 1, 'DEAD', null));
      await probe().put({ ...inLine('second', 2, 'RETRY', 900), errorCode, errorMessage });
      await wake(PAUSED, 50);
      expect(await probe().pick(50)).toEqual([]);
    });
  });

  describe('sleepOn', () => {
    const sleepOn = (row: EventRow, dueAt: number): Promise<void> =>
      probe().unitOfWork.write((tx) => probe().log.sleepOn(tx, row, dueAt));

    it('puts a row off that is as it was seen', async () => {
      await probe().put(asleep('a', PAUSED));
      const row = await probe().row('a');
      await sleepOn(row, 2_000);
      expect(await probe().row('a')).toEqual({ ...row, dueAt: 2_000 });
    });

    it('leaves one that was woken meanwhile, run, redriven or ended', async () => {
      await probe().put(asleep('a', PAUSED));
      const row = await probe().row('a');
      await wake(PAUSED, 50);
      await sleepOn(row, 2_000);
      for (const other of [{ attempt: 1 }, { generation: 1 }]) await sleepOn({ ...row, dueAt: 50, ...other }, 2_000);
      expect(await probe().row('a')).toMatchObject({ dueAt: 50 });
      await probe().put(asleep('b', PAUSED, 'DEAD', 50));
      await sleepOn(await probe().row('b'), 2_000);
      expect(await probe().row('b')).toMatchObject({ dueAt: 50 });
    });
  });
}

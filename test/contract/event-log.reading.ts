import { describe, expect, it } from 'vitest';
import type { EventFilter, HistoryEntry } from '../../src/event-log/event-log.js';
import type { WecomId } from '../../src/wecom/wecom-ids.js';
import { identity, inLine, state, type EventLogProbe } from './event-log.suite.js';

/** What is asked of the rows and their history. */
export function describeEventLogReading(probe: () => EventLogProbe): void {
  describeFind(probe);
  describeHistory(probe);
  describeSearch(probe);
}

function describeFind(probe: () => EventLogProbe): void {
  describe('find', () => {
    it('answers rows by their whole key; keys without a row are missing', async () => {
      await probe().put({ ...identity('a'), ...state('APPLIED') }, { ...identity('b'), ...state('RETRY') });
      const asked = [identity('a'), identity('b', { corpId: 'ww2' }), identity('c')];
      const found = await probe().unitOfWork.write((tx) => probe().log.find(tx, asked));
      expect(found).toEqual([await probe().row('a')]);
      expect(await probe().unitOfWork.write((tx) => probe().log.find(tx, []))).toEqual([]);
    });

    it('sees the rows of its own transaction', async () => {
      const found = await probe().unitOfWork.write(async (tx) => {
        await probe().log.insert(tx, [{ ...identity('a'), ...state('APPLIED') }]);
        return probe().log.find(tx, [identity('a')]);
      });
      expect(found).toHaveLength(1);
    });

    it('finds one row by its id', async () => {
      await probe().put({ ...identity('a'), ...state('APPLIED') });
      const row = await probe().row('a');
      expect(await probe().unitOfWork.read((tx) => probe().log.byId(tx, row.id))).toEqual(row);
      expect(await probe().unitOfWork.read((tx) => probe().log.byId(tx, row.id + 1))).toBeNull();
    });
  });

  describe('lines', () => {
    it('counts the waiting rows of each entity, all four statuses, and knows the last place', async () => {
      await probe().put(
        inLine('done', 1, 'APPLIED'),
        inLine('dead', 2, 'DEAD'),
        inLine('retry', 4, 'RETRY'),
        inLine('parked', 5, 'PARKED'),
        inLine('redriven', 3, 'REDRIVEN'),
        { ...inLine('other', 9, 'APPLIED'), entityKey: 'f' },
      );
      const lines = await probe().unitOfWork.write((tx) => probe().log.lines(tx, ['e', 'f', 'g']));
      expect(lines.get('e')).toEqual({ waiting: 4, laneSeqMax: 5 });
      expect([lines.get('f')?.waiting ?? 0, lines.get('g')?.waiting ?? 0]).toEqual([0, 0]);
      expect(await probe().unitOfWork.write((tx) => probe().log.lines(tx, []))).toEqual(new Map());
    });
  });
}

function describeHistory(probe: () => EventLogProbe): void {
  it('keeps every decision with its reason and this process, oldest first', async () => {
    const base = { eventKey: 'k', actor: 'worker', generation: 0, attempt: 1 };
    const entries: HistoryEntry[] = [
      { ...base, at: 2, decision: 'RETRY', reason: '第一次失败' },
      { ...base, at: 1, decision: 'APPLIED', reason: 'second' },
      { ...base, at: 3, decision: 'DUPLICATE', reason: 'third', eventKey: 'other' },
    ];
    await probe().unitOfWork.write((tx) => probe().log.record(tx, entries));
    await probe().unitOfWork.write((tx) => probe().log.record(tx, []));
    const history = await probe().unitOfWork.read((tx) => probe().log.history(tx, 'k'));
    expect(history).toEqual(entries.slice(0, 2).map((entry) => ({ ...entry, instance: 'this-process' })));
  });
}

function describeSearch(probe: () => EventLogProbe): void {
  const search = async (filter: Partial<EventFilter>): Promise<string[]> =>
    (await probe().unitOfWork.read((tx) => probe().log.search(tx, { limit: 10, ...filter }))).map(
      ({ eventKey }) => eventKey,
    );
  const fill = async (): Promise<void> => {
    await probe().put(
      { ...identity('a', { app: 'x', receivedAt: 10, plaintext: 'SpNo 100% sure' }), ...state('APPLIED') },
      {
        ...identity('b', { corpId: 'ww2', changeType: 'c', receivedAt: 20, msgId: 'm/1+=' }),
        ...state('DEAD', { errorCode: 'E' }),
      },
      {
        ...identity('c', { eventType: 'other', entityKey: 'e', receivedAt: 30, plaintext: 'SpNo 1000' }),
        ...state('RETRY'),
      },
    );
  };

  describe('search', () => {
    it('answers the newest first, no more than asked for, page by page', async () => {
      await fill();
      expect(await search({})).toEqual(['c', 'b', 'a']);
      expect(await search({ limit: 2 })).toEqual(['c', 'b']);
      expect(await search({ beforeId: (await probe().row('b')).id })).toEqual(['a']);
    });

    it('by WeCom’s own ids, letter case and all, under their name or any', async () => {
      const ids = (eventKey: string, ...wecomIds: WecomId[]) => ({
        ...identity(eventKey, { wecomIds }),
        ...state('DEAD'),
      });
      await probe().put(
        ids('a', { name: 'ChatId', value: 'wr/1+=' }, { name: 'UserID', value: 'Li' }),
        ids('b', { name: 'ChatId', value: 'WR/1+=' }, { name: 'UserID', value: 'Li' }),
        ids('c', { name: 'SpNo', value: 'Li' }),
        ...Array.from({ length: 9 }, (_, n) => ids(`more${n}`, { name: 'SpNo', value: `more${n}` })),
      );
      expect(await search({ wecomIds: [{ name: 'ChatId', value: 'wr/1+=' }] })).toEqual(['a']);
      expect(await search({ wecomIds: [{ name: 'UserID', value: 'Li' }] })).toEqual(['b', 'a']);
      expect(await search({ wecomIds: [{ value: 'Li' }] })).toEqual(['c', 'b', 'a']);
      expect(await search({ wecomIds: [{ value: 'Li' }, { name: 'ChatId', value: 'WR/1+=' }] })).toEqual(['b']);
      expect(await search({ wecomIds: [{ value: 'more8' }] })).toEqual(['more8']);
    });

    it('by what failures of one cause have in common', async () => {
      await probe().put(
        { ...identity('a'), ...state('DEAD', { errorCode: 'E', errorMessage: 'order 1' }) },
        { ...identity('b'), ...state('RETRY', { errorCode: 'E', errorMessage: 'order 22' }) },
        { ...identity('c'), ...state('DEAD', { errorCode: 'E', errorMessage: 'other' }) },
      );
      const { errorGroup } = await probe().row('a');
      expect(await search({ errorGroup: errorGroup ?? '' })).toEqual(['b', 'a']);
    });

    const filters: readonly [Partial<EventFilter>, string[]][] = [
      [{ app: 'x' }, ['a']],
      [{ corpId: 'ww2' }, ['b']],
      [{ eventType: 'other' }, ['c']],
      [{ changeType: 'c' }, ['b']],
      [{ entityKey: 'e' }, ['c']],
      [{ msgId: 'm/1+=' }, ['b']],
      [{ statuses: ['DEAD', 'RETRY'] }, ['c', 'b']],
      [{ errorCode: 'E' }, ['b']],
      [{ eventKeys: ['a', 'c', 'z'] }, ['c', 'a']],
      [{ text: 'SpNo' }, ['c', 'a']],
      [{ text: '100%' }, ['a']],
      [{ text: '_' }, []],
      [{ receivedFrom: 20 }, ['c', 'b']],
      [{ receivedTo: 20 }, ['a']],
      [{ app: 'app', statuses: ['RETRY'] }, ['c']],
    ];
    it.each(filters)('by %o', async (filter, expected) => {
      await fill();
      expect(await search(filter)).toEqual(expected);
    });
  });

  it('counts rows by status', async () => {
    await fill();
    await probe().put({ ...identity('d'), ...state('DEAD') });
    const counts = await probe().unitOfWork.read((tx) => probe().log.counts(tx));
    expect(Object.fromEntries(counts)).toEqual({ APPLIED: 1, DEAD: 2, RETRY: 1 });
  });
}

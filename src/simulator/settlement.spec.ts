import { describe, expect, it } from 'vitest';
import { AdminUnavailableError, type EventRow, type Summary } from './admin-client.js';
import { type SentKey, SettlementWatch } from './settlement.js';

const OPTIONS = { timeoutMs: 5_000, pollMs: 1, quietMs: 20 };
const KEYS: SentKey[] = [
  { eventKey: 'a', isAnswered: true },
  { eventKey: 'b', isAnswered: true },
];

interface Look {
  readonly statuses: Record<string, string>;
  readonly backlog?: number | null;
  /** Null: out of sight. */
  readonly spool?: number | null;
  readonly isAway?: boolean;
}

/** An admin API that shows one look after another and stays at the last. */
function scripted(looks: readonly Look[]) {
  let index = -1;
  const look = (): Look => looks[Math.min(index, looks.length - 1)]!;
  const api = {
    lookCount: () => index + 1,
    async summary(): Promise<Summary> {
      index += 1;
      if (look().isAway === true) throw new AdminUnavailableError(null, 'ECONNREFUSED');
      const { backlog = 0, spool = 0 } = look();
      return { backlog: { events: backlog }, spool: spool === null ? null : { depth: spool }, lastChangeId: 0 };
    },
    async lookup(keys: readonly string[]): Promise<EventRow[]> {
      return keys.flatMap((eventKey) => {
        const status = look().statuses[eventKey];
        return status === undefined ? [] : [{ eventKey, entityKey: 'e', status, errorCode: null, errorMessage: null }];
      });
    },
  };
  return api;
}

describe('SettlementWatch', () => {
  it('waits until the last event has an outcome, also while the API is away for a moment', async () => {
    const api = scripted([
      { statuses: { a: 'APPLIED' }, backlog: 1 },
      { statuses: {}, isAway: true },
      { statuses: { a: 'APPLIED', b: 'RETRY' } },
      { statuses: { a: 'APPLIED', b: 'STALE' } },
    ]);
    const settlement = await new SettlementWatch(api, OPTIONS, () => {}).run(KEYS);
    expect(settlement).toMatchObject({ transport: 'empty', trouble: null });
    expect(settlement.rows.get('b')?.status).toBe('STALE');
    expect(api.lookCount()).toBe(4);
  });

  it.each([{ backlog: 1 }, { spool: 1 }])('waits for duplicates that are still on the way (%j)', async (held) => {
    const statuses = { a: 'APPLIED', b: 'APPLIED' };
    const api = scripted([{ statuses, ...held }, { statuses, ...held }, { statuses }]);
    await new SettlementWatch(api, OPTIONS, () => {}).run(KEYS);
    expect(api.lookCount()).toBe(3);
  });

  it('gives up an event without a row when the transport has been empty for long enough', async () => {
    const api = scripted([{ statuses: { a: 'APPLIED' } }]);
    const startedAt = performance.now();
    const settlement = await new SettlementWatch(api, OPTIONS, () => {}).run(KEYS);
    expect(settlement.rows.has('b')).toBe(false);
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(OPTIONS.quietMs);
    expect(performance.now() - startedAt).toBeLessThan(OPTIONS.timeoutMs);
  });

  it('does not give up an event without a row while another one is still to be retried', async () => {
    const looks = Array.from({ length: 60 }, () => ({ statuses: { b: 'RETRY' } }));
    const api = scripted([...looks, { statuses: { a: 'APPLIED', b: 'APPLIED' } }]);
    const settlement = await new SettlementWatch(api, OPTIONS, () => {}).run(KEYS);
    expect([...settlement.rows.keys()].sort()).toEqual(['a', 'b']);
  });

  it.each([{ spool: null }, { backlog: null }])(
    'gives up nothing while it cannot see all of the way (%j)',
    async (hidden) => {
      const api = scripted([{ statuses: { a: 'APPLIED' }, ...hidden }]);
      const startedAt = performance.now();
      const settlement = await new SettlementWatch(api, { ...OPTIONS, timeoutMs: 150 }, () => {}).run(KEYS);
      expect(settlement.transport).toBe('unknown');
      expect(performance.now() - startedAt).toBeGreaterThanOrEqual(150);
    },
  );

  it('does not wait for an event that was never answered and has no row, but for one that has', async () => {
    const keys = [KEYS[0]!, { eventKey: 'b', isAnswered: false }];
    const without = scripted([{ statuses: { a: 'DEAD' } }]);
    await new SettlementWatch(without, OPTIONS, () => {}).run(keys);
    expect(without.lookCount()).toBe(1);
    const withRow = scripted([
      { statuses: { a: 'APPLIED', b: 'RETRY' } },
      { statuses: { a: 'APPLIED', b: 'APPLIED' } },
    ]);
    await new SettlementWatch(withRow, OPTIONS, () => {}).run(keys);
    expect(withRow.lookCount()).toBe(2);
  });

  it('takes a parked event for settled only behind a dead letter', async () => {
    const behind = scripted([{ statuses: { a: 'PARKED', b: 'DEAD' } }]);
    await new SettlementWatch(behind, OPTIONS, () => {}).run(KEYS);
    expect(behind.lookCount()).toBe(1);
    const alone = scripted([{ statuses: { a: 'PARKED', b: 'APPLIED' } }, { statuses: { a: 'APPLIED', b: 'APPLIED' } }]);
    await new SettlementWatch(alone, OPTIONS, () => {}).run(KEYS);
    expect(alone.lookCount()).toBe(2);
  });

  it('ends at its limit and says why the last look failed', async () => {
    const api = scripted([{ statuses: {}, isAway: true }]);
    const settlement = await new SettlementWatch(api, { ...OPTIONS, timeoutMs: 30 }, () => {}).run(KEYS);
    expect(settlement.transport).toBe('unknown');
    expect(settlement.trouble).toContain('ECONNREFUSED');
  });
});

import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { keptAges, keptFaults, type KeptDays } from './kept-ages.js';

const DAY_MS = 86_400_000;
const defaults: KeptDays = {
  ...{ retentionDays: 7, eventsDays: undefined, historyDays: undefined, changesDays: 365, auditDays: 730 },
  successTtlMs: 7 * DAY_MS,
};

describe('how long rows are kept', () => {
  it('is seven days beyond the retention of the transport for events, and as long for their history', () => {
    expect(keptAges(defaults)).toEqual({
      ...{ eventsMs: 14 * DAY_MS, historyMs: 14 * DAY_MS, changesMs: 365 * DAY_MS, auditMs: 730 * DAY_MS },
    });
    expect(keptAges({ ...defaults, retentionDays: 30 }).eventsMs).toBe(37 * DAY_MS);
  });

  it('is for ever where the setting is 0', () => {
    const never = { ...defaults, eventsDays: 0, historyDays: 0, changesDays: 0, auditDays: 0 };
    expect(keptAges(never)).toEqual({ eventsMs: null, historyMs: null, changesMs: null, auditMs: null });
    expect(keptFaults(never)).toEqual([]);
  });

  it.each([
    ['a day less than the retention and its margin', { eventsDays: 13 }, /TRANSPORT_RETENTION_DAYS \+ 7 \(14\)/],
    ['a retention that was raised alone', { eventsDays: 14, retentionDays: 8 }, /TRANSPORT_RETENTION_DAYS/],
    ['a memory of the guard that outlives the row', { eventsDays: 14, successTtlMs: 15 * DAY_MS }, /SUCCESS_TTL/],
  ])('is refused with %s', (_, change, fault) => {
    expect(keptFaults({ ...defaults, ...change })).toEqual([expect.stringMatching(fault)]);
  });

  it('lets no accepted settings purge an event that the transport or the guard may still bring up', () => {
    const days = fc.record({
      retentionDays: fc.integer({ min: 1, max: 365 }),
      eventsDays: fc.option(fc.integer({ min: 0, max: 500 }), { nil: undefined }),
      historyDays: fc.constant(undefined),
      changesDays: fc.constant(0),
      auditDays: fc.constant(0),
      successTtlMs: fc.integer({ min: 60_000, max: 90 * DAY_MS }),
    });
    fc.assert(
      fc.property(days, (given) => {
        fc.pre(keptFaults(given).length === 0);
        const { eventsMs } = keptAges(given);
        if (eventsMs === null) return given.eventsDays === 0;
        return eventsMs >= (given.retentionDays + 7) * DAY_MS && eventsMs >= given.successTtlMs;
      }),
    );
  });
});

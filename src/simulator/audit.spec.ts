import { describe, expect, it } from 'vitest';
import type { EventRow, LedgerRow } from './admin-client.js';
import { audit, type AuditedEvent } from './audit.js';

function event(eventKey: string, createTime: number, rank = 1, entityKey: string | null = 'order-1'): AuditedEvent {
  return { plaintext: '', eventKey, entityKey, createTime, rank, isAnswered: true, endsDead: false };
}

function rows(statuses: Record<string, string>, entityKey: string | null = 'order-1'): Map<string, EventRow> {
  return new Map(
    Object.entries(statuses).map(([eventKey, status]) => [
      eventKey,
      { eventKey, entityKey, status, errorCode: null, errorMessage: null },
    ]),
  );
}

function ledger(...eventKeys: string[]): LedgerRow[] {
  return eventKeys.map((eventKey, id) => ({
    id,
    eventKey,
    entityKey: 'order-1',
    fromState: '',
    toState: '',
    createTime: 0,
    eventRank: 9,
  }));
}

const NOTHING = { lost: [], doubled: [], mismatched: [], wrongMoves: [], inversions: [], unfinished: [] };

const a = event('a', 100);
const b = event('b', 200);

describe('audit', () => {
  it('finds nothing in a run that went well', () => {
    const input = {
      events: [a, b],
      rows: rows({ a: 'APPLIED', b: 'APPLIED' }),
      changes: ledger('a', 'b'),
      isQuiet: true,
    };
    expect(audit(input)).toMatchObject(NOTHING);
    expect(audit(input).statuses.get('APPLIED')).toBe(2);
  });

  it('finds a second effect of one event', () => {
    const found = audit({ events: [a], rows: rows({ a: 'APPLIED' }), changes: ledger('a', 'a'), isQuiet: true });
    expect(found).toMatchObject({
      ...NOTHING,
      doubled: [{ eventKey: 'a', entityKey: 'order-1', detail: '2 effects' }],
    });
  });

  it('finds an answered event that is nowhere, once the transport is empty', () => {
    const found = audit({ events: [a, b], rows: rows({ b: 'APPLIED' }), changes: ledger('b'), isQuiet: true });
    expect(found).toMatchObject({ ...NOTHING, lost: [{ eventKey: 'a', entityKey: 'order-1' }] });
  });

  it('calls an event without a row unfinished while the transport may hold it', () => {
    const found = audit({ events: [a], rows: rows({}), changes: [], isQuiet: false });
    expect(found).toMatchObject({ ...NOTHING, unfinished: [{ eventKey: 'a' }] });
  });

  it('misses no event that was never answered', () => {
    const found = audit({ events: [{ ...a, isAnswered: false }], rows: rows({}), changes: [], isQuiet: true });
    expect(found).toMatchObject(NOTHING);
  });

  it.each([
    ['an older second', event('b', 99)],
    ['a lower rank of the same second', event('b', 100, 0)],
  ])('finds an effect of %s after a newer one', (_, later) => {
    const found = audit({
      events: [a, later],
      rows: rows({ a: 'APPLIED', b: 'APPLIED' }),
      changes: ledger('a', 'b'),
      isQuiet: true,
    });
    expect(found).toMatchObject({ ...NOTHING, inversions: [{ eventKey: 'b', entityKey: 'order-1' }] });
  });

  it.each([
    ['moved nothing', 'ACTIVE', []],
    ['moved it', 'HALF', [{ eventKey: 'c', entityKey: 'order-1' }]],
  ])('goes by the rank at which the ledger has an event that %s', (_, fromState, inversions) => {
    const [b, c] = [event('b', 100, 3), event('c', 100, 2)];
    const [first, edit, last] = ledger('a', 'b', 'c') as [LedgerRow, LedgerRow, LedgerRow];
    const found = audit({
      events: [a, b, c],
      rows: rows({ a: 'APPLIED', b: 'APPLIED', c: 'APPLIED' }),
      changes: [first, { ...edit, fromState, toState: 'ACTIVE', eventRank: 1 }, last],
      isQuiet: true,
    });
    expect(found).toMatchObject({ ...NOTHING, inversions });
  });

  it('compares the effects of one entity only', () => {
    const found = audit({
      events: [a, event('b', 50, 1, 'order-2')],
      rows: rows({ a: 'APPLIED', b: 'APPLIED' }),
      changes: ledger('a', 'b'),
      isQuiet: true,
    });
    expect(found).toMatchObject(NOTHING);
  });

  it('finds an applied event of an entity that has no effect', () => {
    const found = audit({ events: [a], rows: rows({ a: 'APPLIED' }), changes: [], isQuiet: true });
    expect(found).toMatchObject({
      ...NOTHING,
      mismatched: [{ eventKey: 'a', detail: 'APPLIED, but without an effect' }],
    });
  });

  it('asks for no effect of an event that belongs to no entity', () => {
    const input = {
      events: [event('a', 100, 0, null)],
      rows: rows({ a: 'APPLIED' }, null),
      changes: [],
      isQuiet: true,
    };
    expect(audit(input)).toMatchObject(NOTHING);
  });

  it('finds the effect of an event whose row says that it was not applied', () => {
    const found = audit({ events: [a], rows: rows({ a: 'STALE' }), changes: ledger('a'), isQuiet: true });
    expect(found).toMatchObject({ ...NOTHING, mismatched: [{ eventKey: 'a' }] });
  });

  it('takes a dead letter, and what is parked behind it, for a visible wait', () => {
    const found = audit({ events: [a, b], rows: rows({ a: 'DEAD', b: 'PARKED' }), changes: [], isQuiet: true });
    expect(found).toMatchObject(NOTHING);
  });

  it.each(['RETRY', 'REDRIVEN', 'PARKED'])(
    'calls an event unfinished that is left in %s without a dead letter',
    (status) => {
      const found = audit({ events: [a], rows: rows({ a: status }), changes: [], isQuiet: true });
      expect(found).toMatchObject({ ...NOTHING, unfinished: [{ eventKey: 'a' }] });
    },
  );

  it('tells a dead letter that was meant to be one from one that was not', () => {
    const events = [a, { ...b, endsDead: true }];
    const found = audit({ events, rows: rows({ a: 'DEAD', b: 'DEAD' }), changes: [], isQuiet: true });
    expect(found.unexpectedDead).toMatchObject([{ eventKey: 'a', entityKey: 'order-1' }]);
  });

  it('passes over the effects of other senders', () => {
    const found = audit({ events: [a], rows: rows({ a: 'APPLIED' }), changes: ledger('x', 'a', 'x'), isQuiet: true });
    expect(found).toMatchObject(NOTHING);
  });
});

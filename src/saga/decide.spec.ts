import { describe, expect, it } from 'vitest';
import { defineEntityType, type EntityTypeOptions } from '../entity-types/entity-type.js';
import { textAt } from '../entity-types/fields.js';
import type { WecomEvent } from '../wecom/event.js';
import { decide, UNSEEN, type Circumstances, type EntitySnapshot, type Reread } from './decide.js';
import type { StateMachine } from './state-machine.js';

const NOW = 1_000_000;
const at = (nowMs: number, reread: Reread = { kind: 'off' }): Circumstances => ({
  ...{ nowMs, receivedAtMs: nowMs, reread, otherRank: null },
});
const type = (more: Partial<EntityTypeOptions> = {}) =>
  defineEntityType({
    ...{
      name: 'thing',
      events: ['thing'],
      entityKey: () => 'a',
      rank: ({ fields }) => Number(textAt(fields, 'Rank') ?? '0'),
    },
    ...more,
  });

function event(createTime: number | null, trigger = 'go', rank = 0): WecomEvent {
  const fields = { Trigger: trigger, Rank: String(rank) };
  return { corpId: 'ww1', eventType: 'thing', changeType: null, msgId: null, createTime, fields };
}

const command = { kind: 'topic' as const, name: 'told', topic: 't', key: 'k', body: 'b' };
const machine: StateMachine = {
  name: 'thing',
  initial: 'NONE',
  states: ['NONE', 'ON', 'GONE'],
  tombstones: ['GONE'],
  triggers: ['go', 'end', 'guess'],
  trigger: ({ fields }) => {
    const trigger = textAt(fields, 'Trigger');
    return trigger === 'unknown' ? null : trigger;
  },
  transitions: {
    NONE: { go: { to: 'ON', commands: () => [command] }, end: { to: 'GONE' }, guess: { to: 'ON', unconfirmed: true } },
    ON: { go: { to: 'ON' }, end: [{ to: 'ON', guard: ({ createTime }) => createTime === 13 }, { to: 'GONE' }] },
  },
};

const on = (more: Partial<EntitySnapshot> = {}): EntitySnapshot => ({
  ...{
    version: 3,
    state: 'ON',
    lastEventTime: 10,
    lastRank: 2,
    secondRanks: 0,
    unconfirmed: false,
    tombstone: false,
    ...more,
  },
});

describe('what the clock says', () => {
  const cases: readonly [string, EntitySnapshot, WecomEvent, string][] = [
    ['an older event is stale', on(), event(9, 'go', 9), 'stale'],
    ['one of the same second and rank is decided by the machine', on(), event(10, 'go', 2), 'apply'],
    ['one of the same second and a lower rank is stale', on(), event(10, 'go', 1), 'stale'],
    ['one of the same second and a higher rank is applied', on(), event(10, 'go', 3), 'apply'],
    ['a later event is applied, whatever its rank', on(), event(11, 'go', 0), 'apply'],
    ['one without a time is applied', on(), event(null, 'go', 0), 'apply'],
    ['the first one is applied', UNSEEN, event(1), 'apply'],
    [
      'nothing is stale before the first one with a time',
      on({ lastEventTime: null, lastRank: null }),
      event(1),
      'apply',
    ],
    ['a stale event is not asked about by the machine', on(), event(9, 'unknown'), 'stale'],
  ];
  it.each(cases)('%s', (_, entity, incoming, expected) => {
    expect(decide(entity, incoming, type(), machine, at(NOW)).kind).toBe(expected);
  });

  it('ends an event past the deadline of its type, and not one millisecond earlier', () => {
    const welcome = type({ deadlineMs: 20_000 });
    expect(decide(UNSEEN, event(100), welcome, machine, at(120_000)).kind).toBe('apply');
    expect(decide(UNSEEN, event(100), welcome, machine, at(120_001)).kind).toBe('expired');
    expect(decide(on(), event(9), welcome, machine, at(120_001)).kind).toBe('expired');
    expect(decide(UNSEEN, event(null), welcome, machine, at(120_001)).kind).toBe('apply');
  });
});

describe('what is applied', () => {
  it('moves version, state, time and rank together', () => {
    const decision = decide(on(), event(12, 'end', 7), type(), machine, at(NOW));
    const next = {
      version: 4,
      state: 'GONE',
      lastEventTime: 12,
      lastRank: 7,
      secondRanks: 1 << 7,
      unconfirmed: false,
      tombstone: true,
    };
    expect(decision).toMatchObject({ kind: 'apply', from: 'ON', rank: 7, next });
  });

  it('leaves time and rank as they are when it has no time', () => {
    expect(decide(on(), event(null, 'go', 9), type(), machine, at(NOW))).toMatchObject({
      next: { lastEventTime: 10, lastRank: 2 },
    });
  });

  it('begins in the initial state when nothing was applied before, whatever the row says', () => {
    expect(decide({ ...UNSEEN, state: 'ON' }, event(1, 'end'), type(), machine, at(NOW))).toMatchObject({
      from: 'NONE',
    });
  });

  it('is the deletion of an object never seen, with its tombstone', () => {
    expect(decide(UNSEEN, event(1, 'end'), type(), machine, at(NOW))).toMatchObject({
      kind: 'apply',
      next: { state: 'GONE', tombstone: true },
    });
  });

  it('carries the commands of the transition', () => {
    expect(decide(UNSEEN, event(1), type(), machine, at(NOW))).toMatchObject({ commands: [command] });
  });

  it('takes the first transition whose guard lets the event pass', () => {
    expect(decide(on(), event(13, 'end'), type(), machine, at(NOW))).toMatchObject({ next: { state: 'ON' } });
    expect(decide(on(), event(14, 'end'), type(), machine, at(NOW))).toMatchObject({ next: { state: 'GONE' } });
  });

  it('keeps the state of an entity without a machine', () => {
    expect(decide(UNSEEN, event(1, 'unknown'), type(), null, at(NOW))).toMatchObject({
      kind: 'apply',
      next: { state: '', version: 1 },
    });
  });
});

describe('what is not', () => {
  it('is an illegal move', () => {
    expect(decide(on({ state: 'GONE' }), event(11), type(), machine, at(NOW))).toMatchObject({ kind: 'rejected' });
    expect(decide(on(), event(11, 'guess'), type(), machine, at(NOW))).toMatchObject({ kind: 'rejected' });
  });

  it('is an event of a kind that the machine does not know: a person has to look', () => {
    expect(decide(on(), event(11, 'unknown'), type(), machine, at(NOW))).toMatchObject({ kind: 'dead' });
  });

  it('is a trigger or a state named like what every object has', () => {
    expect(decide(on(), event(11, 'constructor'), type(), machine, at(NOW))).toMatchObject({ kind: 'rejected' });
    expect(decide(on({ state: 'constructor' }), event(11, 'name'), type(), machine, at(NOW))).toMatchObject({
      kind: 'rejected',
    });
  });
});

describe('doubt', () => {
  const ambiguous = type({ ambiguous: (rank, lastRank) => Math.abs(rank - lastRank) >= 3 });

  it('comes with a transition that rests on an unseen predecessor, and goes with the next that does not', () => {
    const first = decide(UNSEEN, event(1, 'guess'), type(), machine, at(NOW));
    expect(first).toMatchObject({ next: { unconfirmed: true } });
    expect(decide(on({ unconfirmed: true }), event(11), type(), machine, at(NOW))).toMatchObject({
      next: { unconfirmed: false },
    });
  });

  const cases: readonly [string, number, number, object][] = [
    ['an ambiguous pair in one second', 10, 5, { kind: 'apply', next: { unconfirmed: true } }],
    ['an unambiguous pair in one second', 10, 4, { kind: 'apply', next: { unconfirmed: false } }],
    ['the same pair in two seconds', 11, 5, { kind: 'apply', next: { unconfirmed: false } }],
    ['an ambiguous pair the other way round: stale, and still in doubt', 10, -1, { kind: 'stale', doubt: 'mark' }],
    ['an unambiguous pair the other way round', 10, 1, { kind: 'stale', doubt: null }],
    ['an older second', 9, -1, { kind: 'stale', doubt: null }],
  ];
  it('comes from any event of the second that is opposite, also from one that was too late for the last rank', () => {
    const late = decide(on({ lastRank: 4 }), event(10, 'go', 1), ambiguous, machine, at(NOW));
    expect(late).toMatchObject({ kind: 'stale', secondRanks: 1 << 1 });
    const known = on({ lastRank: 4, secondRanks: (1 << 4) | (1 << 1) });
    expect(decide(known, event(10, 'go', 4), ambiguous, machine, at(NOW))).toMatchObject({
      ...{ kind: 'apply', next: { unconfirmed: true, secondRanks: (1 << 4) | (1 << 1) } },
    });
    expect(decide(known, event(11, 'go', 4), ambiguous, machine, at(NOW))).toMatchObject({
      ...{ kind: 'apply', next: { unconfirmed: false, secondRanks: 1 << 4 } },
    });
  });

  it('comes for no rank that cannot be remembered', () => {
    for (const rank of [-1, 31, 1.5])
      expect(decide(on(), event(11, 'go', rank), type(), machine, at(NOW))).toMatchObject({ next: { secondRanks: 0 } });
  });

  it.each(cases)('%s', (_, createTime, rank, expected) => {
    expect(decide(on(), event(createTime, 'go', rank), ambiguous, machine, at(NOW))).toMatchObject(expected);
  });
});

describe('a state that the machine does not have', () => {
  it.each([
    ['written while no machine was in use', ''],
    ['written by an older machine', 'RENAMED'],
  ])('is no reason to refuse what follows for ever: %s', (_, state) => {
    const decision = decide(on({ state }), event(11), type(), machine, at(NOW));
    expect(decision).toMatchObject({
      kind: 'apply',
      from: 'NONE',
      next: { state: 'ON', version: 4, unconfirmed: true },
    });
  });
});

describe('a second that rank cannot settle', () => {
  const twice = type({ ambiguous: (rank, lastRank) => rank !== lastRank });
  const asking: StateMachine = {
    ...machine,
    appliesWhen: (from, trigger) => (from === 'ON' && trigger === 'end' ? 'absent' : null),
  };
  const ending = event(10, 'end', 1);
  const told = (finding: 'present' | 'absent', version = 3): Reread => ({ kind: 'told', version, finding });

  it('is put off until three seconds after it, and not into the past', () => {
    expect(decide(on(), ending, twice, asking, at(11_000, { kind: 'ask' }))).toMatchObject({
      ...{ kind: 'reread', notBeforeMs: 13_000 },
    });
    expect(decide(on(), ending, twice, asking, at(20_000, { kind: 'ask' }))).toMatchObject({ notBeforeMs: 20_000 });
  });

  it('is settled by what WeCom says, and (time, rank) never decreases', () => {
    expect(decide(on(), ending, twice, asking, at(NOW, told('absent')))).toMatchObject({
      ...{ kind: 'apply', rank: 2, next: { state: 'GONE', lastRank: 2, unconfirmed: false } },
    });
    expect(decide(on(), ending, twice, asking, at(NOW, told('present')))).toMatchObject({
      kind: 'stale',
      doubt: 'clear',
    });
  });

  it('is asked about again when the answer is for another version', () => {
    expect(decide(on(), ending, twice, asking, at(NOW, told('absent', 2))).kind).toBe('reread');
  });

  it('goes by rank where nobody can be asked, or WeCom cannot tell', () => {
    expect(decide(on(), ending, twice, asking, at(NOW))).toMatchObject({ kind: 'stale', doubt: 'mark' });
    expect(decide(on(), ending, twice, machine, at(NOW, { kind: 'ask' }))).toMatchObject({
      kind: 'stale',
      doubt: 'mark',
    });
  });
});

describe('a late event', () => {
  const wary: StateMachine = { ...machine, doubtedBy: ({ trigger, state }) => trigger === 'end' && state === 'ON' };

  it('casts doubt where the machine says so', () => {
    expect(decide(on(), event(9, 'end'), type(), wary, at(NOW))).toMatchObject({ kind: 'stale', doubt: 'mark' });
    expect(decide(on(), event(9, 'go'), type(), wary, at(NOW))).toMatchObject({ kind: 'stale', doubt: null });
    expect(decide(on(), event(9, 'unknown'), type(), wary, at(NOW))).toMatchObject({ kind: 'stale', doubt: null });
  });
});

describe('an event that tells nothing of the state', () => {
  const edited: StateMachine = { ...machine, transitions: { ON: { go: { to: 'ON', keepsDoubt: true } } } };

  it('keeps a doubt, and makes none', () => {
    const next = (unconfirmed: boolean): unknown => decide(on({ unconfirmed }), event(11), type(), edited, at(NOW));
    expect(next(true)).toMatchObject({ next: { unconfirmed: true } });
    expect(next(false)).toMatchObject({ next: { unconfirmed: false } });
  });
});

describe('a CreateTime ahead of the clock', () => {
  it.each([
    [1_300, 1_300, false],
    [1_301, 1_300, true],
    [9_999_999, 1_300, true],
  ])('%i, arrived in second 1000, stands at %i; in doubt: %s', (createTime, time, unconfirmed) => {
    expect(decide(on(), event(createTime), type(), machine, at(NOW))).toMatchObject({
      ...{ kind: 'apply', time, next: { lastEventTime: time, unconfirmed } },
    });
  });

  it('is the same for each run of the event, however late', () => {
    const later = { ...at(NOW), nowMs: 9_000_000 };
    expect(decide(on(), event(9_999), type(), machine, later)).toMatchObject({ time: 1_300 });
  });
});

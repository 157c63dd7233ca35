import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { approvalOrder, customerGroup, customerRelation } from '../entity-types/built-in.js';
import type { EntityType } from '../entity-types/entity-type.js';
import { decide, UNSEEN, type Circumstances, type EntitySnapshot } from '../saga/decide.js';
import { transitionOf, transitionsOf, type StateMachine } from '../saga/state-machine.js';
import type { FieldTree, WecomEvent } from '../wecom/event.js';
import { approvalMachine, type ApprovalState } from './approval/approval-machine.js';
import { BUILT_IN_MACHINES } from './built-in-machines.js';
import { customerGroupMachine } from './customer-group/customer-group-machine.js';
import { customerRelationMachine } from './customer-relation/customer-relation-machine.js';

const event = (createTime: number, changeType: string | null, fields: FieldTree): WecomEvent => ({
  ...{ corpId: 'ww1', eventType: 'e', changeType, msgId: null, createTime, fields },
});
const approval = (status: number, createTime = 1): WecomEvent =>
  event(createTime, null, { ApprovalInfo: { SpNo: '1', SpStatus: String(status) } });
const customer = (changeType: string, createTime = 1, fields: FieldTree = {}): WecomEvent =>
  event(createTime, changeType, { UserID: 'u', ExternalUserID: 'c', ...fields });

describe.each(BUILT_IN_MACHINES)('the table of $name', (machine) => {
  it('leads only to states that it names, by triggers that it names', () => {
    expect(machine.states).toContain(machine.initial);
    for (const state of machine.tombstones) expect(machine.states).toContain(state);
    for (const [from, cells] of Object.entries(machine.transitions)) {
      expect(machine.states).toContain(from);
      for (const trigger of Object.keys(cells as object)) {
        expect(machine.triggers).toContain(trigger);
        for (const { to } of transitionsOf(machine, from, trigger)) expect(machine.states).toContain(to);
      }
    }
  });

  it('ends each list of alternatives with one that has no condition', () => {
    for (const from of machine.states) {
      for (const trigger of machine.triggers) {
        const last = transitionsOf(machine, from, trigger).at(-1);
        expect(last?.guard, `${from} × ${trigger}`).toBeUndefined();
      }
    }
  });
});

// Reference, section 10.1. `?`: applied and marked; missing: illegal.
const SP_STATUS = { RUNNING: 1, PASSED: 2, REJECTED: 3, WITHDRAWN: 4, UNDONE: 6, DELETED: 7, PAID: 10 } as const;
const APPROVALS: Readonly<Record<ApprovalState, string>> = {
  NONE: '1 2? 3? 4? 6? 7? 10?',
  RUNNING: '1 2 3 4 6? 7? 10?',
  PASSED: '2 6 7 10',
  REJECTED: '3 7',
  WITHDRAWN: '4 7',
  UNDONE: '6 7',
  PAID: '6? 7 10',
  DELETED: '',
};

describe('an approval order', () => {
  it.each(Object.entries(APPROVALS))('moves from %s by %s', (from, expected) => {
    const legal = Object.entries(SP_STATUS)
      .sort(([, left], [, right]) => left - right)
      .flatMap(([to, status]) => {
        const transition = transitionOf(approvalMachine, from, to, approval(status));
        if (transition) expect(transition.to).toBe(to);
        return transition ? [`${status}${transition.unconfirmed ? '?' : ''}`] : [];
      });
    expect(legal.join(' ')).toBe(expected);
  });

  it.each(Object.entries(SP_STATUS))('is %s when SpStatus is %i', (state, status) => {
    expect(approvalMachine.trigger(approval(status))).toBe(state);
  });

  it.each([0, 5, 8, 9, 11])('leaves SpStatus %i to a person', (status) => {
    expect(approvalMachine.trigger(approval(status))).toBeNull();
  });
});

// Reference, section 10.2: adding half, adding, edit, deletion by the member, by the customer, failed hand-over.
const KINDS = [
  'add_half_external_contact',
  'add_external_contact',
  'edit_external_contact',
  'del_external_contact',
  'del_follow_user',
  'transfer_fail',
];
const RELATIONS: readonly [string, ...string[]][] = [
  ['NONE', 'HALF', 'ACTIVE', 'ACTIVE?', 'DELETED_BY_USER?', 'DELETED_BY_CUSTOMER?', 'NONE'],
  ['HALF', 'HALF?', 'ACTIVE', 'HALF?', 'DELETED_BY_USER', 'DELETED_BY_CUSTOMER', 'HALF'],
  ['ACTIVE', 'ACTIVE?', 'ACTIVE?', 'ACTIVE', 'DELETED_BY_USER', 'DELETED_BY_CUSTOMER', 'ACTIVE'],
  ['DELETED_BY_USER', 'HALF', 'ACTIVE', 'DELETED_BY_USER?', 'DELETED_BY_USER?', 'DELETED_BOTH', 'DELETED_BY_USER'],
  [
    'DELETED_BY_CUSTOMER',
    'HALF',
    'ACTIVE',
    'DELETED_BY_CUSTOMER?',
    'DELETED_BOTH',
    'DELETED_BY_CUSTOMER?',
    'DELETED_BY_CUSTOMER',
  ],
  ['DELETED_BOTH', 'HALF', 'ACTIVE', 'DELETED_BOTH?', 'DELETED_BOTH?', 'DELETED_BOTH?', 'DELETED_BOTH'],
  ['TRANSFERRED', 'HALF', 'ACTIVE', 'TRANSFERRED?', 'TRANSFERRED?', 'DELETED_BOTH', 'TRANSFERRED'],
];

describe('a follow relation', () => {
  it.each(RELATIONS)('moves from %s', (from, ...expected) => {
    const moves = KINDS.map((kind) => {
      const transition = transitionOf(customerRelationMachine, from, kind, customer(kind));
      return transition ? `${transition.to}${transition.unconfirmed ? '?' : ''}` : '';
    });
    expect(moves).toEqual(expected);
  });

  it.each(['NONE', 'HALF', 'ACTIVE'])('is handed over by a deletion that says so, from %s', (from) => {
    const handed = customer('del_external_contact', 1, { Source: 'DELETE_BY_TRANSFER' });
    expect(transitionOf(customerRelationMachine, from, 'del_external_contact', handed)?.to).toBe('TRANSFERRED');
  });

  it('does not know other kinds', () => {
    expect(customerRelationMachine.trigger(customer('msg_audit_approved'))).toBeNull();
  });
});

describe('a customer group', () => {
  it.each([
    ['NONE', 'OPEN', 'OPEN?', 'DISSOLVED?'],
    ['OPEN', '', 'OPEN', 'DISSOLVED'],
    ['DISSOLVED', '', '', ''],
  ])('moves from %s', (from, ...expected) => {
    const moves = ['create', 'update', 'dismiss'].map((kind) => {
      const transition = transitionOf(customerGroupMachine, from, kind, customer(kind));
      return transition ? `${transition.to}${transition.unconfirmed ? '?' : ''}` : '';
    });
    expect(moves).toEqual(expected);
  });
});

const at: Circumstances = { nowMs: 0, receivedAtMs: 1e9, reread: { kind: 'off' }, otherRank: null };

interface Run {
  readonly entity: EntitySnapshot;
  readonly applied: readonly (readonly [time: number, rank: number])[];
}

/** One event after another, each decided on what the one before left. */
function run(events: readonly WecomEvent[], type: EntityType, machine: StateMachine): Run {
  let entity = UNSEEN;
  const applied: [number, number][] = [];
  for (const one of events) {
    const decision = decide(entity, one, type, machine, at);
    if (decision.kind === 'stale' && decision.doubt === 'mark') entity = { ...entity, unconfirmed: true };
    if (decision.kind !== 'apply') continue;
    entity = decision.next;
    applied.push([one.createTime ?? 0, decision.rank]);
  }
  return { entity, applied };
}

/** A walk through the legal moves, each a second or nothing later; `steps` chooses among them. */
function legalApprovals(steps: readonly { choice: number; later: number }[]): WecomEvent[] {
  const events: WecomEvent[] = [];
  let [state, time]: [ApprovalState, number] = ['NONE', 100];
  for (const { choice, later } of steps) {
    // From nothing an order begins with its submission.
    const legal = state === 'NONE' ? ['RUNNING'] : approvalMachine.triggers.filter((to) => isSure(state, to));
    const to = legal[choice % Math.max(1, legal.length)] as keyof typeof SP_STATUS | undefined;
    if (!to) break;
    time += later;
    events.push(approval(SP_STATUS[to], time));
    state = to;
  }
  return events;
}

function isSure(from: string, to: string): boolean {
  const transition = transitionOf(approvalMachine, from, to, approval(1));
  return transition !== null && !transition.unconfirmed;
}

describe('an event that tells nothing of the state, in a second in which others do', () => {
  const relation = (...kinds: string[]): EntitySnapshot =>
    run(
      kinds.map((kind) => customer(kind)),
      customerRelation,
      customerRelationMachine,
    ).entity;

  // The rank of the failed hand-over is the higher one: the addition was STALE and the relation NONE, for sure.
  it('does not hide in silence what comes behind it with a lower rank', () => {
    const { state, unconfirmed } = relation('transfer_fail', 'add_external_contact');
    expect([state, unconfirmed]).toEqual(['NONE', true]);
  });

  // The edit's rank stood between the two: whether the relation was deleted or added anew last, nobody asked.
  it('does not hide that the second holds an adding and an ending kind', () => {
    const added = relation('add_external_contact', 'edit_external_contact');
    expect([added.state, added.lastRank]).toEqual(['ACTIVE', 2]);
    const deletion = customer('del_external_contact');
    const asked = decide(added, deletion, customerRelation, customerRelationMachine, {
      ...at,
      reread: { kind: 'ask' },
    });
    expect(asked.kind).toBe('reread');
    expect(relation('add_external_contact', 'edit_external_contact', 'del_external_contact').unconfirmed).toBe(true);
  });
});

const steps = fc.array(fc.record({ choice: fc.nat(20), later: fc.nat(2) }), { minLength: 1, maxLength: 7 });
const shuffled = <T>(events: readonly T[], seed: readonly number[]): T[] =>
  events
    .map((one, index) => ({ one, by: seed[index] ?? 0 }))
    .sort((a, b) => a.by - b.by)
    .map(({ one }) => one);
const order = fc.array(fc.nat(1_000), { minLength: 7, maxLength: 7 });

describe('in any order of arrival', () => {
  it('an approval ends where the order of its happening would have left it', () => {
    fc.assert(
      fc.property(steps, order, (walk, seed) => {
        const history = legalApprovals(walk);
        const expected = run(history, approvalOrder, approvalMachine).entity;
        const actual = run(shuffled(history, seed), approvalOrder, approvalMachine).entity;
        expect([actual.state, actual.lastEventTime, actual.lastRank]).toEqual([
          expected.state,
          expected.lastEventTime,
          expected.lastRank,
        ]);
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });

  const relations = fc.array(fc.record({ kind: fc.constantFrom(...KINDS), later: fc.nat(2) }), {
    minLength: 1,
    maxLength: 7,
  });
  const relationHistory = (walk: readonly { kind: string; later: number }[]): WecomEvent[] => {
    let time = 100;
    return walk.map(({ kind, later }) => customer(kind, (time += later)));
  };

  it('a relation ends ACTIVE when its last event, in a second of its own, adds the customer', () => {
    fc.assert(
      fc.property(relations, order, (walk, seed) => {
        const history = [...relationHistory(walk), customer('add_external_contact', 1_000)];
        const { entity } = run(shuffled(history, seed), customerRelation, customerRelationMachine);
        expect([entity.state, entity.lastEventTime]).toEqual(['ACTIVE', 1_000]);
      }),
      { numRuns: 1_000, seed: 7 },
    );
  });

  it('what is applied never decreases in time and rank', () => {
    const cases = fc.oneof(
      fc.record({
        events: steps.map(legalApprovals),
        type: fc.constant(approvalOrder),
        machine: fc.constant(approvalMachine as StateMachine),
      }),
      fc.record({
        events: relations.map(relationHistory),
        type: fc.constant(customerRelation),
        machine: fc.constant(customerRelationMachine as StateMachine),
      }),
      fc.record({
        events: fc
          .array(fc.record({ kind: fc.constantFrom('create', 'update', 'dismiss'), time: fc.nat(3) }))
          .map((list) => list.map(({ kind, time }) => customer(kind, time))),
        type: fc.constant(customerGroup),
        machine: fc.constant(customerGroupMachine as StateMachine),
      }),
    );
    fc.assert(
      fc.property(cases, order, ({ events, type, machine }, seed) => {
        const { applied } = run(shuffled(events, seed), type, machine);
        for (const [index, [time, rank]] of applied.slice(1).entries()) {
          const [lastTime, lastRank] = applied[index] ?? [0, 0];
          expect(time > lastTime || (time === lastTime && rank >= lastRank)).toBe(true);
        }
      }),
      { numRuns: 2_000, seed: 7 },
    );
  });
});

import { describe, expect, it } from 'vitest';
import { textAt } from '../entity-types/fields.js';
import { customerRelation, customerTag, member } from '../entity-types/built-in.js';
import type { EntityType } from '../entity-types/entity-type.js';
import { decide, UNSEEN, type Circumstances, type EntitySnapshot } from '../saga/decide.js';
import type { StateMachine } from '../saga/state-machine.js';
import type { FieldTree, WecomEvent } from '../wecom/event.js';
import { customerRelationMachine } from './customer-relation/customer-relation-machine.js';
import { customerTagMachine } from './customer-tag/customer-tag-machine.js';
import { memberMachine } from './member/member-machine.js';

interface Kind {
  readonly changeType: string;
  readonly fields: FieldTree;
}

const relation = (changeType: string): Kind => ({ changeType, fields: { UserID: 'u', ExternalUserID: 'c' } });
const person = (changeType: string, UserID: string, NewUserID?: string): Kind => ({
  changeType,
  fields: { UserID, NewUserID },
});
const tag = (changeType: string): Kind => ({ changeType, fields: { TagType: 'tag', Id: 't' } });

const RELATIONS: readonly Kind[] = [
  ...['add_half_external_contact', 'add_external_contact', 'edit_external_contact', 'transfer_fail'].map(relation),
  ...['del_external_contact', 'del_follow_user'].map(relation),
];
const PEOPLE: readonly Kind[] = [
  ...[person('create_user', 'a'), person('update_user', 'a'), person('delete_user', 'a')],
  ...[person('update_user', 'a', 'b'), person('update_user', 'b'), person('delete_user', 'b')],
];
const TAGS: readonly Kind[] = ['create', 'update', 'delete'].map(tag);

const OFF: Circumstances = { nowMs: 0, receivedAtMs: 1e9, reread: { kind: 'off' }, otherRank: null };
type World = ReadonlyMap<string, EntitySnapshot>;

/** All events one after another, as a worker decides them: none is illegal here, so each entity goes by its own clock. */
function play(events: readonly WecomEvent[], type: EntityType, machine: StateMachine): World {
  const world = new Map<string, EntitySnapshot>();
  const one = (event: WecomEvent, id: string, otherRank: number | null): void => {
    const before = world.get(id) ?? UNSEEN;
    const decision = decide(before, event, type, machine, { ...OFF, otherRank });
    if (decision.kind === 'apply') world.set(id, decision.next);
    if (decision.kind === 'stale' && decision.doubt === 'mark') world.set(id, { ...before, unconfirmed: true });
  };
  for (const event of events) {
    one(event, type.entityKey(event) ?? '', null);
    for (const { id, rank } of type.others(event)) one(event, id, rank);
  }
  return world;
}

function* sequences<T>(from: readonly T[], length: number): Generator<T[]> {
  if (length === 0) yield [];
  else for (const head of from) for (const tail of sequences(from, length - 1)) yield [head, ...tail];
}

function* permutations<T>(list: readonly T[]): Generator<T[]> {
  if (list.length === 0) yield [];
  for (const [at, head] of list.entries()) {
    for (const tail of permutations([...list.slice(0, at), ...list.slice(at + 1)])) yield [head, ...tail];
  }
}

const eventOf = ({ changeType, fields }: Kind, createTime: number): WecomEvent => ({
  ...{ corpId: 'ww1', eventType: 'e', changeType, msgId: null, createTime, fields },
});

const stateOf = (world: World, id: string): string => {
  const entity = world.get(id);
  return entity && entity.version > 0 ? entity.state : 'NONE';
};

const label = ({ createTime, changeType, fields }: WecomEvent): string =>
  [createTime, changeType, textAt(fields, 'UserID'), textAt(fields, 'NewUserID')].join(':');

/** Histories whose every step is sure when it comes in order, and how each order of arrival ends. */
function wrongAndSure(kinds: readonly Kind[], lengthMax: number, type: EntityType, machine: StateMachine): string[] {
  const wrong: string[] = [];
  for (let length = 1; length <= lengthMax; length += 1) {
    for (const sequence of sequences(kinds, length)) {
      const history = sequence.map((kind, at) => eventOf(kind, 100 + at));
      const truth = play(history, type, machine);
      if ([...truth.values()].some(({ unconfirmed }) => unconfirmed)) continue;
      for (const arrival of permutations(history)) {
        const end = play(arrival, type, machine);
        const isSure = [...end.values()].every(({ unconfirmed }) => !unconfirmed);
        const isWrong = [...truth.keys()].some((id) => stateOf(end, id) !== stateOf(truth, id));
        if (isSure && isWrong) wrong.push(arrival.map(label).join(' '));
      }
    }
  }
  return wrong;
}

describe('a short history in any order of arrival ends in the state of its happening, or unconfirmed', () => {
  it('of a follow relation', () => {
    expect(wrongAndSure(RELATIONS, 4, customerRelation, customerRelationMachine).slice(0, 20)).toEqual([]);
  });

  it('of members and their renames', () => {
    expect(wrongAndSure(PEOPLE, 4, member, memberMachine).slice(0, 20)).toEqual([]);
  });

  it('of a tag', () => {
    expect(wrongAndSure(TAGS, 4, customerTag, customerTagMachine).slice(0, 20)).toEqual([]);
  });
});

import { textAt } from '../../entity-types/fields.js';
import type { StateMachine } from '../../saga/state-machine.js';

export type MemberState = 'NONE' | 'PRESENT' | 'RENAMED' | 'DELETED';

/** `rename` is an update with a NewUserID, seen from the old id; `take_name` is the same event seen from the new one. */
const TRIGGERS = ['create_user', 'update_user', 'rename', 'take_name', 'delete_user'] as const;
type MemberTrigger = (typeof TRIGGERS)[number];

const PRESENT = { to: 'PRESENT' } as const;
const suspect = <S extends MemberState>(to: S): { to: S; unconfirmed: true } => ({ to, unconfirmed: true });

// Ranks of entity-types/built-in.ts: creation and taking a name, then an update.
const BEGINNING_RANK_MAX = 1;
const UPDATE_RANK = 2;

/**
 * A member of the corp (reference, section 10.3). Who is gone comes back only by a creation or by a rename to that id; an
 * update, however late, is no resurrection.
 */
export const memberMachine: StateMachine<MemberState, MemberTrigger> = {
  name: 'member',
  initial: 'NONE',
  states: ['NONE', 'PRESENT', 'RENAMED', 'DELETED'],
  tombstones: ['RENAMED', 'DELETED'],
  triggers: TRIGGERS,
  trigger: ({ changeType, fields }) => {
    const newUserId = textAt(fields, 'NewUserID');
    const isRename = changeType === 'update_user' && newUserId !== null && newUserId !== textAt(fields, 'UserID');
    if (isRename) return 'rename';
    // The two names made up here are no change types of WeCom's.
    return (['create_user', 'update_user', 'delete_user'] as const).find((kind) => kind === changeType) ?? null;
  },
  otherTrigger: () => 'take_name',
  doubtedBy: ({ trigger, state, lastRank }) => {
    const isBegun = lastRank !== null && lastRank <= BEGINNING_RANK_MAX;
    // Created after this event: whatever ended or changed before has no bearing on the new incarnation.
    if (state === 'PRESENT') return !isBegun;
    // An update in a tombstone hides what made it; and which ending came first tells where the member is now.
    if (lastRank === UPDATE_RANK) return trigger !== 'update_user';
    return trigger === 'rename' || (trigger === 'delete_user' && state === 'RENAMED');
  },
  appliesWhen: (from, trigger) => {
    if (from === 'DELETED' || from === 'RENAMED') return trigger === 'create_user' ? 'present' : null;
    return from === 'PRESENT' && trigger === 'delete_user' ? 'absent' : null;
  },
  transitions: {
    NONE: {
      create_user: PRESENT,
      // Older than the subscription, or overtaken by its update.
      update_user: suspect('PRESENT'),
      rename: suspect('RENAMED'),
      take_name: PRESENT,
      delete_user: suspect('DELETED'),
    },
    PRESENT: {
      // A second creation: the deletion between was lost.
      create_user: suspect('PRESENT'),
      update_user: { to: 'PRESENT', keepsDoubt: true },
      rename: { to: 'RENAMED' },
      take_name: suspect('PRESENT'),
      delete_user: { to: 'DELETED' },
    },
    RENAMED: {
      create_user: PRESENT,
      update_user: suspect('RENAMED'),
      rename: suspect('RENAMED'),
      take_name: PRESENT,
      // Meant for whoever carries on under the new id? WeCom does not say.
      delete_user: suspect('RENAMED'),
    },
    DELETED: {
      create_user: PRESENT,
      update_user: suspect('DELETED'),
      rename: suspect('RENAMED'),
      take_name: PRESENT,
      delete_user: suspect('DELETED'),
    },
  },
};

import { textAt } from '../../entity-types/fields.js';
import type { StateMachine } from '../../saga/state-machine.js';

export type RelationState =
  'NONE' | 'HALF' | 'ACTIVE' | 'DELETED_BY_USER' | 'DELETED_BY_CUSTOMER' | 'DELETED_BOTH' | 'TRANSFERRED';

const TRIGGERS = [
  'add_half_external_contact',
  'add_external_contact',
  'edit_external_contact',
  'del_external_contact',
  'del_follow_user',
  'transfer_fail',
] as const;
type RelationTrigger = (typeof TRIGGERS)[number];

const ADDING: ReadonlySet<string> = new Set<RelationTrigger>(['add_half_external_contact', 'add_external_contact']);
const ENDING: ReadonlySet<string> = new Set<RelationTrigger>(['del_external_contact', 'del_follow_user']);
// Rank of an edit and of a failed hand-over (entity-types/built-in.ts).
const TELLS_NOTHING_RANK = 3;

const HALF = { to: 'HALF' } as const;
const ACTIVE = { to: 'ACTIVE' } as const;
/**
 * An edit, or a hand-over that failed, tells nothing new about the relation itself; a deletion tells of one side only. A
 * doubt ends with an addition, which begins anew.
 */
const same = <S extends RelationState>(to: S): { to: S; keepsDoubt: true } => ({ to, keepsDoubt: true });
/** Suspect by the reference: a predecessor is late or lost, and only a re-read could tell. */
const stay = <S extends RelationState>(to: S): { to: S; unconfirmed: true } => ({ to, unconfirmed: true });

/**
 * Follow relation between a member and a customer (reference, section 10.2). Deletion is one-sided and is not the end:
 * either side may have left, and an addition begins anew. An edit never brings a deleted relation back by itself.
 */
export const customerRelationMachine: StateMachine<RelationState, RelationTrigger> = {
  name: 'customer-relation',
  initial: 'NONE',
  states: ['NONE', 'HALF', 'ACTIVE', 'DELETED_BY_USER', 'DELETED_BY_CUSTOMER', 'DELETED_BOTH', 'TRANSFERRED'],
  tombstones: ['DELETED_BY_USER', 'DELETED_BY_CUSTOMER', 'DELETED_BOTH', 'TRANSFERRED'],
  triggers: TRIGGERS,
  trigger: ({ changeType }) => TRIGGERS.find((trigger) => trigger === changeType) ?? null,
  doubtedBy: ({ trigger, state, lastRank }) => {
    if (!ADDING.has(trigger) && !ENDING.has(trigger)) return false;
    // The event applied last did not set the state, so what set it may be older than this one.
    const isHidden = lastRank === TELLS_NOTHING_RANK;
    if (state === 'ACTIVE') return isHidden && ENDING.has(trigger);
    if (state === 'HALF') return isHidden || trigger === 'add_external_contact';
    // The other side may have left as well; and between two who left, the customer may have come back.
    return isHidden || ENDING.has(trigger) || state === 'DELETED_BOTH';
  },
  appliesWhen: (from, trigger) => {
    // After `del_follow_user` the customer still is in the member's list: only the callback knows (section 10.2).
    if (from === 'DELETED_BY_USER' || from === 'TRANSFERRED') return ADDING.has(trigger) ? 'present' : null;
    const isThere = from === 'ACTIVE' || from === 'HALF';
    return isThere && trigger === 'del_external_contact' ? 'absent' : null;
  },
  transitions: {
    NONE: {
      add_half_external_contact: HALF,
      add_external_contact: ACTIVE,
      // Tagging right after adding sends the edit first: the relation exists, its addition is on the way or lost.
      edit_external_contact: stay('ACTIVE'),
      del_external_contact: [
        { to: 'TRANSFERRED', guard: isTransfer, unconfirmed: true },
        { to: 'DELETED_BY_USER', unconfirmed: true },
      ],
      del_follow_user: stay('DELETED_BY_CUSTOMER'),
      transfer_fail: same('NONE'),
    },
    HALF: {
      add_half_external_contact: stay('HALF'),
      add_external_contact: ACTIVE,
      edit_external_contact: stay('HALF'),
      del_external_contact: [{ ...same('TRANSFERRED'), guard: isTransfer }, same('DELETED_BY_USER')],
      del_follow_user: same('DELETED_BY_CUSTOMER'),
      transfer_fail: same('HALF'),
    },
    ACTIVE: {
      add_half_external_contact: stay('ACTIVE'),
      add_external_contact: stay('ACTIVE'),
      edit_external_contact: same('ACTIVE'),
      del_external_contact: [{ ...same('TRANSFERRED'), guard: isTransfer }, same('DELETED_BY_USER')],
      del_follow_user: same('DELETED_BY_CUSTOMER'),
      transfer_fail: same('ACTIVE'),
    },
    DELETED_BY_USER: {
      add_half_external_contact: HALF,
      add_external_contact: ACTIVE,
      edit_external_contact: stay('DELETED_BY_USER'),
      del_external_contact: stay('DELETED_BY_USER'),
      del_follow_user: same('DELETED_BOTH'),
      transfer_fail: same('DELETED_BY_USER'),
    },
    DELETED_BY_CUSTOMER: {
      add_half_external_contact: HALF,
      add_external_contact: ACTIVE,
      edit_external_contact: stay('DELETED_BY_CUSTOMER'),
      del_external_contact: same('DELETED_BOTH'),
      del_follow_user: stay('DELETED_BY_CUSTOMER'),
      transfer_fail: same('DELETED_BY_CUSTOMER'),
    },
    DELETED_BOTH: {
      add_half_external_contact: HALF,
      add_external_contact: ACTIVE,
      edit_external_contact: stay('DELETED_BOTH'),
      del_external_contact: stay('DELETED_BOTH'),
      del_follow_user: stay('DELETED_BOTH'),
      transfer_fail: same('DELETED_BOTH'),
    },
    TRANSFERRED: {
      add_half_external_contact: HALF,
      add_external_contact: ACTIVE,
      edit_external_contact: stay('TRANSFERRED'),
      del_external_contact: stay('TRANSFERRED'),
      del_follow_user: same('DELETED_BOTH'),
      transfer_fail: same('TRANSFERRED'),
    },
  },
};

function isTransfer({ fields }: { fields: Parameters<typeof textAt>[0] }): boolean {
  return textAt(fields, 'Source') === 'DELETE_BY_TRANSFER';
}

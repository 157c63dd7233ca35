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

const HALF = { to: 'HALF' } as const;
const ACTIVE = { to: 'ACTIVE' } as const;
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
      transfer_fail: { to: 'NONE' },
    },
    HALF: {
      add_half_external_contact: stay('HALF'),
      add_external_contact: ACTIVE,
      edit_external_contact: stay('HALF'),
      del_external_contact: [{ to: 'TRANSFERRED', guard: isTransfer }, { to: 'DELETED_BY_USER' }],
      del_follow_user: { to: 'DELETED_BY_CUSTOMER' },
      transfer_fail: { to: 'HALF' },
    },
    ACTIVE: {
      add_half_external_contact: stay('ACTIVE'),
      add_external_contact: stay('ACTIVE'),
      edit_external_contact: ACTIVE,
      del_external_contact: [{ to: 'TRANSFERRED', guard: isTransfer }, { to: 'DELETED_BY_USER' }],
      del_follow_user: { to: 'DELETED_BY_CUSTOMER' },
      transfer_fail: ACTIVE,
    },
    DELETED_BY_USER: {
      add_half_external_contact: HALF,
      add_external_contact: ACTIVE,
      edit_external_contact: stay('DELETED_BY_USER'),
      del_external_contact: stay('DELETED_BY_USER'),
      del_follow_user: { to: 'DELETED_BOTH' },
      transfer_fail: { to: 'DELETED_BY_USER' },
    },
    DELETED_BY_CUSTOMER: {
      add_half_external_contact: HALF,
      add_external_contact: ACTIVE,
      edit_external_contact: stay('DELETED_BY_CUSTOMER'),
      del_external_contact: { to: 'DELETED_BOTH' },
      del_follow_user: stay('DELETED_BY_CUSTOMER'),
      transfer_fail: { to: 'DELETED_BY_CUSTOMER' },
    },
    DELETED_BOTH: {
      add_half_external_contact: HALF,
      add_external_contact: ACTIVE,
      edit_external_contact: stay('DELETED_BOTH'),
      del_external_contact: stay('DELETED_BOTH'),
      del_follow_user: stay('DELETED_BOTH'),
      transfer_fail: { to: 'DELETED_BOTH' },
    },
    TRANSFERRED: {
      add_half_external_contact: HALF,
      add_external_contact: ACTIVE,
      edit_external_contact: stay('TRANSFERRED'),
      del_external_contact: stay('TRANSFERRED'),
      del_follow_user: { to: 'DELETED_BOTH' },
      transfer_fail: { to: 'TRANSFERRED' },
    },
  },
};

function isTransfer({ fields }: { fields: Parameters<typeof textAt>[0] }): boolean {
  return textAt(fields, 'Source') === 'DELETE_BY_TRANSFER';
}

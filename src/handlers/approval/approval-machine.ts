import { textAt } from '../../entity-types/fields.js';
import type { StateMachine } from '../../saga/state-machine.js';

export type ApprovalState = 'NONE' | 'RUNNING' | 'PASSED' | 'REJECTED' | 'WITHDRAWN' | 'UNDONE' | 'PAID' | 'DELETED';
type Seen = Exclude<ApprovalState, 'NONE'>;

/** SpStatus; 5, 8 and 9 are undefined, and an order that shows one is left to a person. */
const STATES = new Map<string, Seen>(
  Object.entries({
    1: 'RUNNING',
    2: 'PASSED',
    3: 'REJECTED',
    4: 'WITHDRAWN',
    6: 'UNDONE',
    7: 'DELETED',
    10: 'PAID',
  } as const),
);

/**
 * Approval order (reference, section 10.1). The event says where the order is now, so the trigger is the state reported.
 * "Passed" is not the end: a passed order can be undone or paid. What is missing is a late or conflicting report.
 */
export const approvalMachine: StateMachine<ApprovalState, Seen> = {
  name: 'approval-order',
  initial: 'NONE',
  states: ['NONE', 'RUNNING', 'PASSED', 'REJECTED', 'WITHDRAWN', 'UNDONE', 'PAID', 'DELETED'],
  tombstones: ['DELETED'],
  triggers: ['RUNNING', 'PASSED', 'REJECTED', 'WITHDRAWN', 'UNDONE', 'PAID', 'DELETED'],
  trigger: ({ fields }) => STATES.get(textAt(fields, 'ApprovalInfo.SpStatus') ?? '') ?? null,
  transitions: {
    // The subscription began later, or the first events were lost or are late.
    NONE: {
      RUNNING: { to: 'RUNNING' },
      PASSED: { to: 'PASSED', unconfirmed: true },
      REJECTED: { to: 'REJECTED', unconfirmed: true },
      WITHDRAWN: { to: 'WITHDRAWN', unconfirmed: true },
      UNDONE: { to: 'UNDONE', unconfirmed: true },
      PAID: { to: 'PAID', unconfirmed: true },
      DELETED: { to: 'DELETED', unconfirmed: true },
    },
    RUNNING: {
      RUNNING: { to: 'RUNNING' },
      PASSED: { to: 'PASSED' },
      REJECTED: { to: 'REJECTED' },
      WITHDRAWN: { to: 'WITHDRAWN' },
      // The pass between was lost; the order itself is reported whole.
      UNDONE: { to: 'UNDONE', unconfirmed: true },
      PAID: { to: 'PAID', unconfirmed: true },
      DELETED: { to: 'DELETED', unconfirmed: true },
    },
    PASSED: {
      PASSED: { to: 'PASSED' },
      UNDONE: { to: 'UNDONE' },
      PAID: { to: 'PAID' },
      DELETED: { to: 'DELETED' },
    },
    REJECTED: { REJECTED: { to: 'REJECTED' }, DELETED: { to: 'DELETED' } },
    WITHDRAWN: { WITHDRAWN: { to: 'WITHDRAWN' }, DELETED: { to: 'DELETED' } },
    UNDONE: { UNDONE: { to: 'UNDONE' }, DELETED: { to: 'DELETED' } },
    PAID: {
      PAID: { to: 'PAID' },
      // Not documented whether a paid form can be withdrawn.
      UNDONE: { to: 'UNDONE', unconfirmed: true },
      DELETED: { to: 'DELETED' },
    },
  },
};

import type { StateMachine } from '../../saga/state-machine.js';

export type GroupState = 'NONE' | 'OPEN' | 'DISSOLVED';
const TRIGGERS = ['create', 'update', 'dismiss'] as const;
type GroupTrigger = (typeof TRIGGERS)[number];

/** Customer group (reference, section 10.5). Dissolved is the end: ids are not used again. */
export const customerGroupMachine: StateMachine<GroupState, GroupTrigger> = {
  name: 'customer-group',
  initial: 'NONE',
  states: ['NONE', 'OPEN', 'DISSOLVED'],
  tombstones: ['DISSOLVED'],
  triggers: TRIGGERS,
  trigger: ({ changeType }) => TRIGGERS.find((trigger) => trigger === changeType) ?? null,
  transitions: {
    NONE: {
      create: { to: 'OPEN' },
      // The group is older than the subscription.
      update: { to: 'OPEN', unconfirmed: true },
      dismiss: { to: 'DISSOLVED', unconfirmed: true },
    },
    OPEN: { update: { to: 'OPEN' }, dismiss: { to: 'DISSOLVED' } },
  },
};

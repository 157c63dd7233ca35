import type { StateMachine } from '../../saga/state-machine.js';

export type TagState = 'NONE' | 'EXISTS' | 'GONE';
const TRIGGERS = ['create', 'update', 'shuffle', 'delete'] as const;
type TagTrigger = (typeof TRIGGERS)[number];

const EXISTS = { to: 'EXISTS' } as const;
const SAME = { to: 'EXISTS', keepsDoubt: true } as const;

/** A customer tag or a group of tags (reference, section 10.4). Gone is the end: ids are not used again. */
export const customerTagMachine: StateMachine<TagState, TagTrigger> = {
  name: 'customer-tag',
  initial: 'NONE',
  states: ['NONE', 'EXISTS', 'GONE'],
  tombstones: ['GONE'],
  triggers: TRIGGERS,
  trigger: ({ changeType }) => TRIGGERS.find((trigger) => trigger === changeType) ?? null,
  // Nothing may follow a deletion; an update that did says that one of the two is wrong.
  doubtedBy: ({ trigger, state }) => trigger === 'delete' && state === 'EXISTS',
  transitions: {
    NONE: {
      create: EXISTS,
      // The tag is older than the subscription.
      update: { to: 'EXISTS', unconfirmed: true },
      shuffle: { to: 'EXISTS', unconfirmed: true },
      delete: { to: 'GONE', unconfirmed: true },
    },
    EXISTS: { create: { to: 'EXISTS', unconfirmed: true }, update: SAME, shuffle: SAME, delete: { to: 'GONE' } },
  },
};

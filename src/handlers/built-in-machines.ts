import type { StateMachine } from '../saga/state-machine.js';
import { approvalMachine } from './approval/approval-machine.js';
import { customerGroupMachine } from './customer-group/customer-group-machine.js';
import { customerRelationMachine } from './customer-relation/customer-relation-machine.js';
import { customerTagMachine } from './customer-tag/customer-tag-machine.js';
import { memberMachine } from './member/member-machine.js';

/** The machines of the built-in handlers, for their pages in `docs/machines`. */
export const BUILT_IN_MACHINES: readonly StateMachine[] = [
  approvalMachine,
  customerRelationMachine,
  customerGroupMachine,
  memberMachine,
  customerTagMachine,
];

import type { HandlerContext, WecomHandler } from '../../src/handlers/wecom-handler.js';
import { approvalMachine } from '../../src/handlers/approval/approval-machine.js';
import { customerGroupMachine } from '../../src/handlers/customer-group/customer-group-machine.js';
import { WecomEventHandler } from '../../src/handlers/wecom-event-handler.decorator.js';
import { UnrecoverableError } from '../../src/saga/unrecoverable-error.js';
import type { WecomEvent } from '../../src/wecom/event.js';

/** Whether the handlers fail; a test mends them as a new release would. */
export const faults = { approvals: true, groups: true };

/** Every approval dies while it is broken: a contract field that a release forgot, say. */
@WecomEventHandler({ event: 'sys_approval_change', machine: approvalMachine })
export class MendableApprovalHandler implements WecomHandler {
  async handle(_event: WecomEvent, { move }: HandlerContext): Promise<void> {
    if (faults.approvals)
      throw new UnrecoverableError(`the contract of ${move?.entityKey} lacks a cost centre`, {
        code: 'CONTRACT_INVALID',
      });
  }
}

/** What it needs is away, so its events are retried, and later ones of a group wait behind them. */
@WecomEventHandler({
  ...{ event: 'change_external_chat', changeType: ['create', 'update', 'dismiss'] },
  machine: customerGroupMachine,
})
export class MendableGroupHandler implements WecomHandler {
  async handle(_event: WecomEvent, { move }: HandlerContext): Promise<void> {
    if (faults.groups && /[02468]$/.test(move?.entityKey ?? '')) throw new Error('the group service does not answer');
  }
}

import { upsertRows, type UpsertTarget } from '../../database/upsert-rows.js';
import { textAt } from '../../entity-types/fields.js';
import type { WecomEvent } from '../../wecom/event.js';
import { UnrecoverableError } from '../../saga/unrecoverable-error.js';
import { BuiltInHandler } from '../built-in-handler.decorator.js';
import type { HandlerCall, HandlerContext, WecomHandler } from '../wecom-handler.js';
import { WecomEventHandler } from '../wecom-event-handler.decorator.js';
import { approvalMachine } from './approval-machine.js';

const APPROVAL_ORDER: UpsertTarget = {
  table: 'approval_order',
  key: 'entity_key',
  columns: ['entity_key', 'sp_no', 'sp_name', 'template_id', 'applyer_user_id', 'status', 'effect_count'],
  set: {
    ...{ sp_name: '{sp_name}', template_id: '{template_id}', applyer_user_id: '{applyer_user_id}' },
    ...{ status: '{status}', effect_count: 'approval_order.effect_count + 1' },
  },
};

/** Keeps `approval_order` at what the last applied event reported. */
@BuiltInHandler()
@WecomEventHandler({ event: 'sys_approval_change', machine: approvalMachine })
export class ApprovalHandler implements WecomHandler {
  handle(event: WecomEvent, context: HandlerContext): Promise<void> {
    return this.handleMany([{ event, context }]);
  }

  async handleMany(calls: readonly HandlerCall[]): Promise<void> {
    const [first] = calls;
    if (first) await upsertRows(first.context.manager, APPROVAL_ORDER, calls.map(rowOf));
  }
}

function rowOf({ event: { fields }, context: { move } }: HandlerCall): readonly unknown[] {
  if (!move) throw new UnrecoverableError('an approval event without SpNo', { code: 'APPROVAL_WITHOUT_NUMBER' });
  const at = (path: string): string => textAt(fields, `ApprovalInfo.${path}`) ?? '';
  const number = at('SpNoStr') || at('SpNo');
  return [move.entityKey, number, at('SpName'), at('TemplateId'), at('Applyer.UserId'), move.to, 1];
}

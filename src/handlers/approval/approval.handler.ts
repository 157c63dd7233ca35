import { changedRows } from '../../database/changed-rows.js';
import { textAt } from '../../entity-types/fields.js';
import type { WecomEvent } from '../../wecom/event.js';
import { UnrecoverableError } from '../../saga/unrecoverable-error.js';
import { BuiltInHandler } from '../built-in-handler.decorator.js';
import type { HandlerContext, WecomHandler } from '../wecom-handler.js';
import { WecomEventHandler } from '../wecom-event-handler.decorator.js';
import { approvalMachine } from './approval-machine.js';

/** Keeps `approval_order` at what the last applied event reported. */
@BuiltInHandler()
@WecomEventHandler({ event: 'sys_approval_change', machine: approvalMachine })
export class ApprovalHandler implements WecomHandler {
  async handle({ fields }: WecomEvent, { manager, move }: HandlerContext): Promise<void> {
    if (!move) throw new UnrecoverableError('an approval event without SpNo', { code: 'APPROVAL_WITHOUT_NUMBER' });
    const at = (path: string): string => textAt(fields, `ApprovalInfo.${path}`) ?? '';
    const changed = await changedRows(
      { manager },
      `UPDATE approval_order SET sp_name = ?, template_id = ?, applyer_user_id = ?, status = ?,
         effect_count = effect_count + 1 WHERE entity_key = ?`,
      [at('SpName'), at('TemplateId'), at('Applyer.UserId'), move.to, move.entityKey],
    );
    if (changed > 0) return;
    await manager.query(
      `INSERT INTO approval_order (entity_key, sp_no, sp_name, template_id, applyer_user_id, status, effect_count)
       VALUES (?, ?, ?, ?, ?, ?, 1)`,
      [move.entityKey, at('SpNoStr') || at('SpNo'), at('SpName'), at('TemplateId'), at('Applyer.UserId'), move.to],
    );
  }
}

import { changedRows } from '../../database/changed-rows.js';
import { textAt } from '../../entity-types/fields.js';
import { UnrecoverableError } from '../../saga/unrecoverable-error.js';
import type { WecomEvent } from '../../wecom/event.js';
import { BuiltInHandler } from '../built-in-handler.decorator.js';
import type { HandlerContext, WecomHandler } from '../wecom-handler.js';
import { WecomEventHandler } from '../wecom-event-handler.decorator.js';
import { customerTagMachine } from './customer-tag-machine.js';

/**
 * Keeps `customer_tag` at which tags and groups there are. Events name neither a tag's text nor its group, and a group
 * takes its tags with it without an event each: names, and which tags went, are read from WeCom's API.
 */
@BuiltInHandler()
@WecomEventHandler({
  event: 'change_external_tag',
  changeType: customerTagMachine.triggers,
  machine: customerTagMachine,
})
export class CustomerTagHandler implements WecomHandler {
  async handle({ changeType, fields }: WecomEvent, { manager, move }: HandlerContext): Promise<void> {
    if (!move) throw new UnrecoverableError('a tag event without Id or TagType', { code: 'TAG_WITHOUT_ID' });
    const at = (path: string): string => textAt(fields, path) ?? '';
    const shuffles = changeType === 'shuffle' ? 1 : 0;
    const changed = await changedRows(
      { manager },
      `UPDATE customer_tag SET status = ?, shuffle_count = shuffle_count + ?, effect_count = effect_count + 1
       WHERE entity_key = ?`,
      [move.to, shuffles, move.entityKey],
    );
    if (changed > 0) return;
    const type = at('TagType') || (at('Id') ? 'tag_group' : 'strategy');
    await manager.query(
      `INSERT INTO customer_tag (entity_key, tag_type, tag_id, strategy_id, status, shuffle_count, effect_count)
       VALUES (?, ?, ?, ?, ?, ?, 1)`,
      [move.entityKey, type, at('Id'), at('StrategyId'), move.to, shuffles],
    );
  }
}

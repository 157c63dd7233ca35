import type { EntityManager } from 'typeorm';
import { textAt } from '../../entity-types/fields.js';
import type { FieldTree, WecomEvent } from '../../wecom/event.js';
import { UnrecoverableError } from '../../saga/unrecoverable-error.js';
import { BuiltInHandler } from '../built-in-handler.decorator.js';
import type { HandlerContext, WecomHandler } from '../wecom-handler.js';
import { WecomEventHandler } from '../wecom-event-handler.decorator.js';
import { customerGroupMachine } from './customer-group-machine.js';

// 1000 members are the most a WeCom group holds; an event names a part of them.
const MEMBERS_MAX = 2_000;

/** Keeps `customer_group` and its members. Member events carry a change, hence the strict order of this type. */
@BuiltInHandler()
@WecomEventHandler({
  event: 'change_external_chat',
  changeType: customerGroupMachine.triggers,
  machine: customerGroupMachine,
})
export class CustomerGroupHandler implements WecomHandler {
  async handle(event: WecomEvent, { manager, move }: HandlerContext): Promise<void> {
    if (!move) throw new UnrecoverableError('a group event without ChatId', { code: 'GROUP_WITHOUT_CHAT_ID' });
    const version = textAt(event.fields, 'CurMemVer') ?? '';
    const incomplete = await this.hasGap(manager, move.entityKey, event.fields);
    await manager.query(
      `INSERT INTO customer_group (entity_key, chat_id, status, member_version, members_incomplete, effect_count)
       VALUES (?, ?, ?, ?, ?, 1)
       ON CONFLICT (entity_key) DO UPDATE SET status = excluded.status, effect_count = effect_count + 1,
         member_version = CASE WHEN excluded.member_version = '' THEN member_version ELSE excluded.member_version END,
         members_incomplete = MAX(members_incomplete, excluded.members_incomplete)`,
      [move.entityKey, textAt(event.fields, 'ChatId'), move.to, version, Number(incomplete)],
    );
    await this.changeMembers(manager, move.entityKey, event);
  }

  /** WeCom chains member changes: LastMemVer has to continue the version stored (reference, section 10.5). */
  private async hasGap(manager: EntityManager, entityKey: string, fields: FieldTree): Promise<boolean> {
    const last = textAt(fields, 'LastMemVer');
    if (last === null) return false;
    const rows: { member_version: string }[] = await manager.query(
      'SELECT member_version FROM customer_group WHERE entity_key = ?',
      [entityKey],
    );
    const stored = rows[0]?.member_version ?? '';
    return stored !== '' && stored !== last;
  }

  private async changeMembers(manager: EntityManager, entityKey: string, event: WecomEvent): Promise<void> {
    const members = memberIds(event.fields);
    const detail = textAt(event.fields, 'UpdateDetail');
    for (const memberId of members) {
      if (detail === 'add_member') {
        await manager.query(
          `INSERT INTO customer_group_member (entity_key, member_id, joined_at) VALUES (?, ?, ?)
           ON CONFLICT (entity_key, member_id) DO NOTHING`,
          [entityKey, memberId, event.createTime],
        );
      } else if (detail === 'del_member') {
        await manager.query('DELETE FROM customer_group_member WHERE entity_key = ? AND member_id = ?', [
          entityKey,
          memberId,
        ]);
      }
    }
  }
}

function memberIds(fields: FieldTree): string[] {
  const list = fields['MemChangeList'];
  if (typeof list !== 'object' || Array.isArray(list)) return [];
  const items = list['Item'];
  const ids = (Array.isArray(items) ? items : []).filter((item) => typeof item === 'string');
  if (ids.length > MEMBERS_MAX)
    throw new UnrecoverableError(`${ids.length} members in one event`, { code: 'GROUP_TOO_LARGE' });
  return ids;
}

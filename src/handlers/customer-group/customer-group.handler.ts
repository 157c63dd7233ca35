import type { EntityManager } from 'typeorm';
import { places, tuples } from '../../database/sql-lists.js';
import { textAt } from '../../entity-types/fields.js';
import type { FieldTree, WecomEvent } from '../../wecom/event.js';
import { UnrecoverableError } from '../../saga/unrecoverable-error.js';
import { BuiltInHandler } from '../built-in-handler.decorator.js';
import type { HandlerContext, WecomHandler } from '../wecom-handler.js';
import { WecomEventHandler } from '../wecom-event-handler.decorator.js';
import { customerGroupMachine } from './customer-group-machine.js';

type Move = NonNullable<HandlerContext['move']>;

interface RawGroup {
  readonly member_version: string;
  readonly members_incomplete: number;
}

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
    await this.writeGroup(manager, move, event.fields);
    await this.changeMembers(manager, move.entityKey, event);
  }

  private async writeGroup(manager: EntityManager, { entityKey, to }: Move, fields: FieldTree): Promise<void> {
    const version = textAt(fields, 'CurMemVer') ?? '';
    const rows: RawGroup[] = await manager.query(
      'SELECT member_version, members_incomplete FROM customer_group WHERE entity_key = ?',
      [entityKey],
    );
    const [group] = rows;
    if (!group) {
      await manager.query(
        `INSERT INTO customer_group (entity_key, chat_id, status, member_version, members_incomplete, effect_count)
         VALUES (?, ?, ?, ?, 0, 1)`,
        [entityKey, textAt(fields, 'ChatId'), to, version],
      );
      return;
    }
    const isIncomplete = group.members_incomplete !== 0 || hasGap(group.member_version, fields);
    await manager.query(
      `UPDATE customer_group SET status = ?, member_version = ?, members_incomplete = ?, effect_count = effect_count + 1
       WHERE entity_key = ?`,
      [to, version || group.member_version, Number(isIncomplete), entityKey],
    );
  }

  private async changeMembers(manager: EntityManager, entityKey: string, event: WecomEvent): Promise<void> {
    const members = memberIds(event.fields);
    const detail = textAt(event.fields, 'UpdateDetail');
    if (members.length === 0) return;
    if (detail === 'add_member') await this.addMembers(manager, entityKey, members, event.createTime);
    if (detail === 'del_member') {
      const sql = `DELETE FROM customer_group_member WHERE entity_key = ? AND member_id IN (${places(members)})`;
      await manager.query(sql, [entityKey, ...members]);
    }
  }

  /** Who is there already stays as he is. The entity is locked, so nobody can come between the look and the insert. */
  private async addMembers(
    manager: EntityManager,
    entityKey: string,
    members: readonly string[],
    joinedAt: number | null,
  ): Promise<void> {
    const present: { member_id: string }[] = await manager.query(
      `SELECT member_id FROM customer_group_member WHERE entity_key = ? AND member_id IN (${places(members)})`,
      [entityKey, ...members],
    );
    const known = new Set(present.map((row) => row.member_id));
    const fresh = members.filter((memberId) => !known.has(memberId));
    if (fresh.length === 0) return;
    await manager.query(
      `INSERT INTO customer_group_member (entity_key, member_id, joined_at) VALUES ${tuples(fresh.length, 3)}`,
      fresh.flatMap((memberId) => [entityKey, memberId, joinedAt]),
    );
  }
}

/** WeCom chains member changes: LastMemVer has to continue the version stored (reference, section 10.5). */
function hasGap(stored: string, fields: FieldTree): boolean {
  const last = textAt(fields, 'LastMemVer');
  return last !== null && stored !== '' && stored !== last;
}

function memberIds(fields: FieldTree): string[] {
  const list = fields['MemChangeList'];
  if (typeof list !== 'object' || Array.isArray(list)) return [];
  const items = list['Item'];
  const ids = (Array.isArray(items) ? items : []).filter((item) => typeof item === 'string');
  if (ids.length > MEMBERS_MAX)
    throw new UnrecoverableError(`${ids.length} members in one event`, { code: 'GROUP_TOO_LARGE' });
  return [...new Set(ids)];
}

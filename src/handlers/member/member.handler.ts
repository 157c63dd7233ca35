import type { EntityManager } from 'typeorm';
import { textAt } from '../../entity-types/fields.js';
import { UnrecoverableError } from '../../saga/unrecoverable-error.js';
import type { FieldTree, WecomEvent } from '../../wecom/event.js';
import { BuiltInHandler } from '../built-in-handler.decorator.js';
import type { HandlerContext, OtherMove, WecomHandler } from '../wecom-handler.js';
import { WecomEventHandler } from '../wecom-event-handler.decorator.js';
import { memberMachine, type MemberState } from './member-machine.js';
import { attributesOf, findMember, NO_ATTRIBUTES, over, writeMember, type Attributes } from './member-table.js';

/**
 * Keeps `member` at who is there and what is known of them. Of a third-party suite the same events come as `InfoType`.
 * Other change types of `change_contact` (departments, tags) are left to a user's handlers.
 */
@BuiltInHandler()
@WecomEventHandler({
  event: 'change_contact',
  changeType: ['create_user', 'update_user', 'delete_user'],
  machine: memberMachine,
})
export class MemberHandler implements WecomHandler {
  async handle({ changeType, fields }: WecomEvent, { manager, move, others }: HandlerContext): Promise<void> {
    const userId = textAt(fields, 'UserID');
    if (!move || !userId) throw new UnrecoverableError('a member event without UserID', { code: 'MEMBER_WITHOUT_ID' });
    const before = await findMember(manager, move.entityKey);
    const isCreation = changeType === 'create_user';
    const isGone = memberMachine.tombstones.includes(move.from as MemberState);
    const isUpdate = changeType === 'update_user' && move.to === 'PRESENT';
    const known = before?.attributes ?? NO_ATTRIBUTES;
    const [renamed] = others;
    await writeMember(manager, before, {
      ...{ entityKey: move.entityKey, userId, status: move.to },
      renamedTo: move.to === 'RENAMED' ? (renamed?.entityId ?? before?.renamedTo ?? null) : null,
      // Whoever is created anew inherits nothing from who had the id before.
      attributes: isCreation ? attributesOf(fields) : isUpdate ? over(known, attributesOf(fields)) : known,
      incarnation: (before?.incarnation ?? 1) + (isCreation && before && isGone ? 1 : 0),
    });
    if (renamed) await this.carryOn(manager, renamed, known, fields);
  }

  /** The new id takes over what was known of the old one, under what the rename itself and newer events tell. */
  private async carryOn(
    manager: EntityManager,
    { entityKey, entityId, from, to, applied }: OtherMove,
    inherited: Attributes,
    fields: FieldTree,
  ): Promise<void> {
    const before = await findMember(manager, entityKey);
    const told = over(inherited, attributesOf(fields));
    if (!applied) {
      // Somebody newer has the row; only what nobody has told yet is filled in, and not for who is gone.
      if (!before || to !== 'PRESENT') return;
      const next = { ...before, attributes: over(told, before.attributes) };
      await writeMember(manager, before, { ...next, entityKey });
      return;
    }
    const isGone = memberMachine.tombstones.includes(from as MemberState);
    await writeMember(manager, before, {
      ...{ entityKey, userId: entityId, status: to, renamedTo: null },
      attributes: before && !isGone ? over(before.attributes, told) : told,
      incarnation: (before?.incarnation ?? 1) + (before && isGone ? 1 : 0),
    });
  }
}

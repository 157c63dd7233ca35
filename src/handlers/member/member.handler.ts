import type { EntityManager } from 'typeorm';
import { textAt } from '../../entity-types/fields.js';
import { UnrecoverableError } from '../../saga/unrecoverable-error.js';
import type { FieldTree, WecomEvent } from '../../wecom/event.js';
import { WecomApi } from '../../wecom-api/wecom-api.js';
import { BuiltInHandler } from '../built-in-handler.decorator.js';
import type { EntityMove, HandlerContext, OtherMove, Rereader, WecomHandler } from '../wecom-handler.js';
import { WecomEventHandler } from '../wecom-event-handler.decorator.js';
import { memberMachine } from './member-machine.js';
import {
  attributesOf,
  findMember,
  NO_ATTRIBUTES,
  over,
  writeMember,
  type Attributes,
  type Member,
} from './member-table.js';

interface Moved extends EntityMove {
  readonly userId: string;
  readonly before: Member | null;
  readonly renamedTo: string | null;
}

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
  readonly rereader: Rereader;

  constructor(api: WecomApi) {
    this.rereader = {
      canAsk: (app) => api.isConfigured(app),
      ask: async ({ fields }, { app, signal }) => {
        const isThere = await api.hasMember(app, textAt(fields, 'UserID') ?? '', signal);
        return isThere ? 'present' : 'absent';
      },
    };
  }

  async handle(event: WecomEvent, { manager, move, others }: HandlerContext): Promise<void> {
    const { fields } = event;
    const userId = textAt(fields, 'UserID');
    if (!move || !userId) throw new UnrecoverableError('a member event without UserID', { code: 'MEMBER_WITHOUT_ID' });
    const before = await findMember(manager, move.entityKey);
    const [renamed] = others;
    // Past the event, the old id is somebody else by now: nothing of it belongs to the new one.
    const known = move.applied ? (before?.attributes ?? NO_ATTRIBUTES) : NO_ATTRIBUTES;
    if (move.applied)
      await this.write(manager, event, { ...move, userId, before, renamedTo: renamed?.entityId ?? null });
    if (renamed) await this.carryOn(manager, renamed, known, fields);
  }

  private async write(manager: EntityManager, event: WecomEvent, move: Moved): Promise<void> {
    const { before, from, to } = move;
    const isCreation = event.changeType === 'create_user';
    const isUpdate = event.changeType === 'update_user' && to === 'PRESENT';
    const known = before?.attributes ?? NO_ATTRIBUTES;
    const told = attributesOf(event.fields);
    await writeMember(manager, before, {
      ...{ entityKey: move.entityKey, userId: move.userId, status: to },
      renamedTo: to === 'RENAMED' ? (move.renamedTo ?? before?.renamedTo ?? null) : null,
      // Whoever is created anew inherits nothing from who had the id before.
      attributes: isCreation ? told : isUpdate ? over(known, told) : known,
      incarnation: (before?.incarnation ?? 1) + (isCreation && before && isGone(from) ? 1 : 0),
    });
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
    const isAnew = before !== null && isGone(from);
    await writeMember(manager, before, {
      ...{ entityKey, userId: entityId, status: to, renamedTo: null },
      attributes: before && !isAnew ? over(before.attributes, told) : told,
      incarnation: (before?.incarnation ?? 1) + (isAnew ? 1 : 0),
    });
  }
}

function isGone(state: string): boolean {
  return memberMachine.tombstones.some((tombstone) => tombstone === state);
}

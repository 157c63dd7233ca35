import { changedRows } from '../../database/changed-rows.js';
import { textAt } from '../../entity-types/fields.js';
import type { WecomEvent } from '../../wecom/event.js';
import { UnrecoverableError } from '../../saga/unrecoverable-error.js';
import { WecomApi } from '../../wecom-api/wecom-api.js';
import { BuiltInHandler } from '../built-in-handler.decorator.js';
import type { HandlerContext, Rereader, WecomHandler } from '../wecom-handler.js';
import { WecomEventHandler } from '../wecom-event-handler.decorator.js';
import { customerRelationMachine } from './customer-relation-machine.js';

/** Keeps `customer_relation` at where the follow relation stands. */
@BuiltInHandler()
@WecomEventHandler({
  event: 'change_external_contact',
  changeType: customerRelationMachine.triggers,
  machine: customerRelationMachine,
})
export class CustomerRelationHandler implements WecomHandler {
  readonly rereader: Rereader;

  constructor(api: WecomApi) {
    this.rereader = {
      canAsk: (app) => api.isConfigured(app),
      ask: async ({ fields }, { app, signal }) => {
        const ids = { userId: textAt(fields, 'UserID') ?? '', externalUserId: textAt(fields, 'ExternalUserID') ?? '' };
        return (await api.hasFollowRelation(app, ids, signal)) ? 'present' : 'absent';
      },
    };
  }

  async handle({ fields }: WecomEvent, { manager, move }: HandlerContext): Promise<void> {
    if (!move) {
      const code = 'CUSTOMER_WITHOUT_IDS';
      throw new UnrecoverableError('a customer event without UserID or ExternalUserID', { code });
    }
    const at = (path: string): string => textAt(fields, path) ?? '';
    const changed = await changedRows(
      { manager },
      `UPDATE customer_relation SET status = ?, add_state = CASE WHEN ? = '' THEN add_state ELSE ? END,
         effect_count = effect_count + 1 WHERE entity_key = ?`,
      [move.to, at('State'), at('State'), move.entityKey],
    );
    if (changed > 0) return;
    await manager.query(
      `INSERT INTO customer_relation (entity_key, user_id, external_user_id, status, add_state, effect_count)
       VALUES (?, ?, ?, ?, ?, 1)`,
      [move.entityKey, at('UserID'), at('ExternalUserID'), move.to, at('State')],
    );
  }
}

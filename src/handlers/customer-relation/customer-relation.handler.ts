import { upsertRows, type UpsertTarget } from '../../database/upsert-rows.js';
import { textAt } from '../../entity-types/fields.js';
import type { WecomEvent } from '../../wecom/event.js';
import { UnrecoverableError } from '../../saga/unrecoverable-error.js';
import { WecomApi } from '../../wecom-api/wecom-api.js';
import { BuiltInHandler } from '../built-in-handler.decorator.js';
import type { HandlerCall, HandlerContext, Rereader, WecomHandler } from '../wecom-handler.js';
import { WecomEventHandler } from '../wecom-event-handler.decorator.js';
import { customerRelationMachine } from './customer-relation-machine.js';

const CUSTOMER_RELATION: UpsertTarget = {
  table: 'customer_relation',
  key: 'entity_key',
  columns: ['entity_key', 'user_id', 'external_user_id', 'status', 'add_state', 'effect_count'],
  set: {
    ...{ status: '{status}', effect_count: 'customer_relation.effect_count + 1' },
    // Only the first event of a relation names the channel.
    add_state: "CASE WHEN {add_state} = '' THEN customer_relation.add_state ELSE {add_state} END",
  },
};

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

  handle(event: WecomEvent, context: HandlerContext): Promise<void> {
    return this.handleMany([{ event, context }]);
  }

  async handleMany(calls: readonly HandlerCall[]): Promise<void> {
    const [first] = calls;
    if (first) await upsertRows(first.context.manager, CUSTOMER_RELATION, calls.map(rowOf));
  }
}

function rowOf({ event: { fields }, context: { move } }: HandlerCall): readonly unknown[] {
  if (!move) {
    const code = 'CUSTOMER_WITHOUT_IDS';
    throw new UnrecoverableError('a customer event without UserID or ExternalUserID', { code });
  }
  const at = (path: string): string => textAt(fields, path) ?? '';
  return [move.entityKey, at('UserID'), at('ExternalUserID'), move.to, at('State'), 1];
}

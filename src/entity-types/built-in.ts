import type { WecomEvent } from '../wecom/event.js';
import { textAt } from './fields.js';
import { defineEntityType, type EntityType } from './entity-type.js';

// Rank of SpStatus (reference, section 10.1): running < decided < undone or paid < deleted.
const APPROVAL_RANKS = new Map(Object.entries({ 1: 1, 2: 2, 3: 2, 4: 2, 6: 3, 10: 3, 7: 4 }));

/** An approval order (审批单). Each event carries the whole order after the action, so the latest one wins. */
export const approvalOrder = defineEntityType({
  name: 'approval-order',
  events: ['sys_approval_change'],
  // SpNoStr is the recommended number; forms of older versions have only SpNo.
  entityKey: ({ fields }) => textAt(fields, 'ApprovalInfo.SpNoStr') ?? textAt(fields, 'ApprovalInfo.SpNo'),
  order: 'latest',
  rank: ({ fields }) => APPROVAL_RANKS.get(textAt(fields, 'ApprovalInfo.SpStatus') ?? '') ?? 0,
});

const RELATION_RANKS: Readonly<Record<string, number>> = {
  add_half_external_contact: 1,
  add_external_contact: 2,
  transfer_fail: 3,
  edit_external_contact: 3,
  // One rank: each side may leave in the same second, and both have then left, whichever came first.
  del_external_contact: 4,
  del_follow_user: 4,
};
const ADDING_RANK_MAX = 2;
const ENDING_RANK_MIN = 4;

/** The relation between a member and a customer (客户联系). States recur: a deleted customer may be added again. */
export const customerRelation = defineEntityType({
  name: 'customer-relation',
  events: Object.keys(RELATION_RANKS).map((changeType) => `change_external_contact/${changeType}`),
  entityKey: ({ fields }) => {
    const userId = textAt(fields, 'UserID');
    const externalUserId = textAt(fields, 'ExternalUserID');
    return userId && externalUserId ? `${encodeURIComponent(userId)}/${encodeURIComponent(externalUserId)}` : null;
  },
  order: 'latest',
  rank: ({ changeType }) => RELATION_RANKS[changeType ?? ''] ?? 0,
  // Did the customer come back within the second, or leave within it? Only WeCom's API knows.
  ambiguous: (rank, lastRank) =>
    (rank <= ADDING_RANK_MAX && lastRank >= ENDING_RANK_MIN) ||
    (rank >= ENDING_RANK_MIN && lastRank <= ADDING_RANK_MAX),
});

const GROUP_RANKS: Readonly<Record<string, number>> = { create: 1, update: 2, dismiss: 3 };

/** A customer group (客户群). Its member events carry a change, so they wait for each other. */
export const customerGroup = defineEntityType({
  name: 'customer-group',
  events: Object.keys(GROUP_RANKS).map((changeType) => `change_external_chat/${changeType}`),
  entityKey: ({ fields }) => textAt(fields, 'ChatId'),
  order: 'strict',
  rank: ({ changeType }) => GROUP_RANKS[changeType ?? ''] ?? 0,
});

const isRename = (event: WecomEvent): boolean => newUserId(event) !== null;

function newUserId({ changeType, fields }: WecomEvent): string | null {
  const id = changeType === 'update_user' ? textAt(fields, 'NewUserID') : null;
  return id === textAt(fields, 'UserID') ? null : id;
}

const MEMBER_RANKS: Readonly<Record<string, number>> = { create_user: 1, update_user: 2, delete_user: 3 };

/**
 * A member of the corp (成员). Updates carry only what changed, so its events wait for each other. A rename ends the old
 * id and moves what is known to the new one.
 */
export const member = defineEntityType({
  name: 'member',
  events: Object.keys(MEMBER_RANKS).map((changeType) => `change_contact/${changeType}`),
  entityKey: ({ fields }) => textAt(fields, 'UserID'),
  order: 'strict',
  rank: (event) => (isRename(event) ? 3 : (MEMBER_RANKS[event.changeType ?? ''] ?? 0)),
  others: (event) => {
    const id = newUserId(event);
    return id === null ? [] : [{ id, rank: 1 }];
  },
  // Hired again within the second, or gone within it?
  ambiguous: (rank, lastRank) => (rank <= 1 && lastRank >= 3) || (rank >= 3 && lastRank <= 1),
});

const TAG_RANKS: Readonly<Record<string, number>> = { create: 1, update: 2, shuffle: 2, delete: 3 };

/** A customer tag or a group of them (客户标签); an id of one may be an id of the other, so TagType is part of the key. */
export const customerTag = defineEntityType({
  name: 'customer-tag',
  events: Object.keys(TAG_RANKS).map((changeType) => `change_external_tag/${changeType}`),
  entityKey: ({ changeType, fields }) => {
    const id = textAt(fields, 'Id');
    const isShuffle = changeType === 'shuffle';
    // A shuffle without an id is about all groups of a strategy.
    if (id === null) return isShuffle ? `strategy/${encodeURIComponent(textAt(fields, 'StrategyId') ?? '')}` : null;
    const type = textAt(fields, 'TagType') ?? (isShuffle ? 'tag_group' : null);
    return type && `${encodeURIComponent(type)}/${encodeURIComponent(id)}`;
  },
  order: 'strict',
  rank: ({ changeType }) => TAG_RANKS[changeType ?? ''] ?? 0,
});

/** What the simulator has the demo handler fail on; WeCom sends nothing of this name. */
export const demoTask = defineEntityType({
  name: 'demo-task',
  events: ['demo_task'],
  entityKey: ({ fields }) => textAt(fields, 'TaskId'),
  order: 'latest',
});

export const BUILT_IN_ENTITY_TYPES: readonly EntityType[] = [
  approvalOrder,
  customerRelation,
  customerGroup,
  member,
  customerTag,
  demoTask,
];

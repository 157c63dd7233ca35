import type { FieldTree, FieldValue, WecomEvent } from './event.js';

/** WeCom's own id of something that an event is about: what a person who looks for the event has in hand. */
export interface WecomId {
  readonly name: WecomIdName;
  readonly value: string;
}

export const WECOM_ID_NAMES = ['SpNo', 'ExternalUserID', 'ChatId', 'UserID', 'Other'] as const;
export type WecomIdName = (typeof WECOM_ID_NAMES)[number];

/** Element names that carry ids, wherever they stand in the body; several names are one id to a person. */
const NAMES: Readonly<Record<string, WecomIdName>> = {
  SpNo: 'SpNo',
  SpNoStr: 'SpNo',
  ThirdNo: 'SpNo',
  ExternalUserID: 'ExternalUserID',
  ExternalUserId: 'ExternalUserID',
  ChatId: 'ChatId',
  UserID: 'UserID',
  UserId: 'UserID',
  NewUserID: 'UserID',
  OpenUserID: 'UserID',
  FromUserName: 'UserID',
  TaskId: 'Other',
  JobId: 'Other',
  TagId: 'Other',
  LinkId: 'Other',
  OpenKfId: 'Other',
  ApplyId: 'Other',
  NotifyId: 'Other',
};

/** Ids kept of one event: a list of two hundred members must not become two hundred rows. */
export const WECOM_IDS_MAX = 16;
const VALUE_LENGTH_MAX = 128;
// The sender of all events that nobody sent.
const NOBODY = new Set(['sys', 'SYS']);

/** Distinct, in the order of the body, no more than `WECOM_IDS_MAX`. */
export function wecomIdsOf({ fields }: Pick<WecomEvent, 'fields'>): WecomId[] {
  const found = new Map<string, WecomId>();
  collect(fields, found);
  return [...found.values()];
}

function collect(tree: FieldTree, found: Map<string, WecomId>): void {
  for (const [field, value] of Object.entries(tree)) {
    const name = Object.hasOwn(NAMES, field) ? NAMES[field] : undefined;
    for (const one of value === undefined ? [] : Array.isArray(value) ? value : [value]) take(name, one, found);
  }
}

function take(name: WecomIdName | undefined, value: FieldValue, found: Map<string, WecomId>): void {
  if (found.size >= WECOM_IDS_MAX) return;
  if (Array.isArray(value)) for (const one of value) take(name, one, found);
  else if (typeof value === 'object') collect(value, found);
  else if (name && value !== '' && value.length <= VALUE_LENGTH_MAX && !NOBODY.has(value) && !value.includes('\0'))
    found.set(`${name}:${value}`, { name, value });
}

import { BadRequestException } from '@nestjs/common';
import { entityKeyOfRef } from './entity-address.js';
import type { EventFilterFields } from './event-query.js';
import type { AdminFilter } from './event-search.js';

const IDS = [
  ['spNo', 'SpNo'],
  ['externalUserId', 'ExternalUserID'],
  ['chatId', 'ChatId'],
  ['userId', 'UserID'],
] as const;

/** The parameters of a request as the search takes them. */
export function filterOfQuery(query: EventFilterFields): AdminFilter {
  const { app, corpId, eventType, changeType, msgId, errorCode, errorGroup, text, status, from, to } = query;
  const wecomIds = IDS.flatMap(([parameter, name]) => {
    const value = query[parameter];
    return value === undefined ? [] : [{ name, value }];
  });
  return {
    ...{ app, corpId, eventType, changeType, msgId, errorCode, errorGroup, text },
    statuses: status,
    entityKey: entityKey(query),
    eventKeys: query.eventKey === undefined ? undefined : [query.eventKey],
    receivedFrom: from,
    receivedTo: to,
    wecomIds: query.wecomId === undefined ? wecomIds : [...wecomIds, { value: query.wecomId }],
  };
}

function entityKey({ entityKey: key, entityRef: ref }: EventFilterFields): string | undefined {
  if (ref === undefined) return key;
  const keyOfRef = keyOf(ref);
  if (key !== undefined && key !== keyOfRef) throw new BadRequestException(['entityRef is not that of entityKey']);
  return keyOfRef;
}

export function keyOf(ref: string): string {
  const key = entityKeyOfRef(ref);
  if (key === null) throw new BadRequestException(['entityRef must be an entity key in base64url']);
  return key;
}

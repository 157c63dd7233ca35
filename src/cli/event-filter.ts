import type { Clock } from '../runtime/clock.js';
import { timeOf } from './option-values.js';

/** By the names of the admin API's parameters; the options are the same in kebab case. */
export interface FilterOptions {
  readonly app?: string;
  readonly corpId?: string;
  readonly eventType?: string;
  readonly changeType?: string;
  readonly entityKey?: string;
  readonly eventKey?: string;
  readonly msgId?: string;
  readonly spNo?: string;
  readonly externalUserId?: string;
  readonly chatId?: string;
  readonly userId?: string;
  readonly wecomId?: string;
  readonly errorCode?: string;
  readonly errorGroup?: string;
  readonly text?: string;
  readonly status?: readonly string[];
  readonly from?: string;
  readonly to?: string;
}

/** What `FilterOptions` says, as the admin API takes it. Fields that were not given are missing. */
export function filterOf(options: FilterOptions, clock: Clock): Record<string, string | number | readonly string[]> {
  const { app, corpId, eventType, changeType, entityKey, eventKey, msgId, spNo, externalUserId } = options;
  const { chatId, userId, wecomId, errorCode, errorGroup, text, status, from, to } = options;
  const now = clock.now();
  const all = {
    ...{ app, corpId, eventType, changeType, entityKey, eventKey, msgId, spNo, externalUserId, chatId, userId },
    ...{ wecomId, errorCode, errorGroup, text, status },
    from: from === undefined ? undefined : timeOf(from, now),
    to: to === undefined ? undefined : timeOf(to, now),
  };
  return Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined)) as ReturnType<
    typeof filterOf
  >;
}

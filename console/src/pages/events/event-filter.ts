import type { Query } from '../../api/client.js';

/** Filters that the API takes as they are, by the same names; the address of the page holds them. */
export const TEXT_FILTERS = [
  ...(['wecomId', 'eventType', 'app', 'corpId', 'changeType', 'entityKey', 'spNo', 'externalUserId'] as const),
  ...(['chatId', 'userId', 'msgId', 'eventKey', 'errorCode', 'errorGroup', 'text'] as const),
];
export type TextFilter = (typeof TEXT_FILTERS)[number];

/** Shown at once; the others on request, or when one of them is in use. */
export const FIRST_FILTERS: readonly TextFilter[] = ['wecomId', 'eventType', 'app'];

export const WINDOWS = { m15: 15 * 60_000, h1: 3_600_000, h24: 86_400_000, d7: 604_800_000 } as const;
export type WindowName = 'all' | keyof typeof WINDOWS | 'custom';

export interface EventFilter {
  readonly texts: Readonly<Partial<Record<TextFilter, string>>>;
  /** Empty: all. */
  readonly statuses: readonly string[];
  readonly window: WindowName;
  /** Milliseconds since 1970; for `custom` only. */
  readonly from: number | null;
  readonly to: number | null;
}

export const NO_FILTER: EventFilter = { texts: {}, statuses: [], window: 'all', from: null, to: null };

export function filterOf(address: URLSearchParams): EventFilter {
  const texts: Partial<Record<TextFilter, string>> = {};
  for (const name of TEXT_FILTERS) {
    const value = address.get(name)?.trim() ?? '';
    if (value !== '') texts[name] = value;
  }
  const statuses = (address.get('status') ?? '').split(',').filter((status) => status !== '');
  const from = timeOf(address.get('from'));
  const to = timeOf(address.get('to'));
  const named = address.get('window');
  const window = named !== null && Object.hasOwn(WINDOWS, named) ? (named as WindowName) : 'all';
  return { texts, statuses, window: from !== null || to !== null ? 'custom' : window, from, to };
}

export function addressOf({ texts, statuses, window, from, to }: EventFilter): URLSearchParams {
  const address = new URLSearchParams();
  for (const name of TEXT_FILTERS) {
    const value = texts[name]?.trim() ?? '';
    if (value !== '') address.set(name, value);
  }
  if (statuses.length > 0) address.set('status', statuses.join(','));
  if (window === 'custom') {
    if (from !== null) address.set('from', String(from));
    if (to !== null) address.set('to', String(to));
  } else if (window !== 'all') address.set('window', window);
  return address;
}

/** A window is counted back from `now`, so that a page kept as a bookmark shows the hour before it is opened. */
export function queryOf({ texts, statuses, window, from, to }: EventFilter, now: number): Query {
  const query: Record<string, string | number | undefined> = { ...texts };
  if (statuses.length > 0) query['status'] = statuses.join(',');
  if (window === 'custom') Object.assign(query, { from: from ?? undefined, to: to ?? undefined });
  else if (window !== 'all') query['from'] = now - WINDOWS[window];
  return query;
}

export function isEmpty(filter: EventFilter): boolean {
  return addressOf(filter).size === 0;
}

function timeOf(text: string | null): number | null {
  return text !== null && /^\d{1,15}$/.test(text) ? Number(text) : null;
}

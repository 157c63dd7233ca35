import { AdminApi, type AdminOption } from './admin-api.js';
import { say, writeJson, writeLines, type CliContext, type JsonOption } from './cli-context.js';
import { filterOf, type FilterOptions } from './event-filter.js';
import { decisionLines, eventLines, type Decision, type EventItem } from './event-rows.js';
import { EXIT, type ExitCode } from './exit-codes.js';

export interface FindOptions extends AdminOption, JsonOption, FilterOptions {
  readonly id?: number;
  readonly limit: number;
  readonly history?: boolean;
}

interface EventPage {
  readonly items: readonly EventItem[];
  readonly next: string | null;
  readonly isPartial: boolean;
}

interface Found {
  readonly items: readonly (EventItem & { readonly history?: readonly Decision[] })[];
  /** False when more than `limit` match. */
  readonly isComplete: boolean;
}

const PAGE_ITEMS_MAX = 1_000;

/** Events, newest received first. Ends with 1 when none matches. */
export async function find(context: CliContext, options: FindOptions): Promise<ExitCode> {
  const api = AdminApi.open(context, options);
  try {
    const found = options.id === undefined ? await search(context, api, options) : await one(api, options.id);
    const items =
      options.history || options.id !== undefined ? await withHistory(context, api, found.items) : found.items;
    if (options.json) writeJson(context, { items, isComplete: found.isComplete });
    else write(context, { ...found, items });
    return items.length > 0 ? EXIT.ok : EXIT.notSo;
  } finally {
    api.close();
  }
}

async function one(api: AdminApi, id: number): Promise<Found> {
  const { plaintext: _plaintext, ...item } = await api.get<EventItem & { plaintext?: string }>(`events/${id}`);
  return { items: [item], isComplete: true };
}

/** A page may be short because the service looked long enough: it then says where to go on. */
async function search({ clock, signal }: CliContext, api: AdminApi, options: FindOptions): Promise<Found> {
  const filter = filterOf(options, clock);
  const items: EventItem[] = [];
  let after: string | undefined;
  for (;;) {
    signal.throwIfAborted();
    const limit = Math.min(options.limit - items.length, PAGE_ITEMS_MAX);
    const page = await api.get<EventPage>('events', { ...filter, after, limit });
    items.push(...page.items);
    if (page.next === null) return { items, isComplete: true };
    if (items.length >= options.limit) return { items, isComplete: false };
    after = page.next;
  }
}

async function withHistory(
  { signal }: CliContext,
  api: AdminApi,
  items: readonly EventItem[],
): Promise<Found['items']> {
  const told: (EventItem & { history: readonly Decision[] })[] = [];
  for (const item of items) {
    signal.throwIfAborted();
    const { items: history } = await api.get<{ items: readonly Decision[] }>(`events/${item.id}/history`);
    told.push({ ...item, history });
  }
  return told;
}

function write(context: CliContext, { items, isComplete }: Found): void {
  if (items.length === 0) say(context, 'no event matches');
  else if (items.some(({ history }) => history !== undefined)) {
    for (const { history = [], ...item } of items)
      writeLines(context, [...eventLines([item]), ...decisionLines(history).map((line) => `  ${line}`)]);
  } else writeLines(context, eventLines(items));
  if (!isComplete) say(context, `the newest ${items.length}; more match: raise --limit, or give --to`);
}

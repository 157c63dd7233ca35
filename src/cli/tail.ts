import { AdminApi, type AdminOption } from './admin-api.js';
import { say, type CliContext, type JsonOption } from './cli-context.js';
import { UnreachableError } from './cli-errors.js';
import { tailLine, type TailItem } from './event-rows.js';

export interface TailOptions extends AdminOption, JsonOption {
  readonly lines: number;
  readonly interval: number;
  readonly after?: number;
  readonly app?: string;
  readonly eventType?: string;
  readonly entityKey?: string;
  readonly decision?: readonly string[];
}

interface TailPage {
  readonly items: readonly TailItem[];
  readonly lastId: number;
}

const PAGE_ITEMS_MAX = 1_000;

/** Decisions as they are made, until it is stopped. One JSON object a line with `--json`. */
export async function tail(context: CliContext, options: TailOptions): Promise<never> {
  const { clock, signal } = context;
  const api = AdminApi.open(context, options);
  try {
    // A service that was never there is an error; one that goes away later is waited for.
    let page = await first(api, options);
    let isAway = false;
    for (;;) {
      for (const item of page.items.filter((item) => isWanted(item, options))) write(context, item, options);
      if (page.items.length < PAGE_ITEMS_MAX) await clock.sleep(options.interval, signal);
      signal.throwIfAborted();
      const next = await askAgain(api, page.lastId);
      if (next === null && !isAway) say(context, `${api.url} does not answer any more; waiting for it`);
      if (next !== null && isAway) say(context, `${api.url} answers again; nothing was passed over`);
      isAway = next === null;
      page = next ?? { items: [], lastId: page.lastId };
    }
  } finally {
    api.close();
  }
}

async function first(api: AdminApi, { after, lines }: TailOptions): Promise<TailPage> {
  if (after !== undefined) return api.get<TailPage>('events/tail', { afterId: after, limit: PAGE_ITEMS_MAX });
  const page = await api.get<TailPage>('events/tail', { limit: Math.max(lines, 1) });
  return lines === 0 ? { ...page, items: [] } : page;
}

async function askAgain(api: AdminApi, afterId: number): Promise<TailPage | null> {
  try {
    return await api.get<TailPage>('events/tail', { afterId, limit: PAGE_ITEMS_MAX });
  } catch (error) {
    if (error instanceof UnreachableError) return null;
    throw error;
  }
}

function isWanted(item: TailItem, { app, eventType, entityKey, decision }: TailOptions): boolean {
  return (
    (app === undefined || item.app === app) &&
    (eventType === undefined || item.eventType === eventType) &&
    (entityKey === undefined || item.entityKey === entityKey) &&
    (decision === undefined || decision.includes(item.decision))
  );
}

function write({ stdout }: CliContext, item: TailItem, { json }: TailOptions): void {
  stdout.write(`${json ? JSON.stringify(item) : tailLine(item)}\n`);
}

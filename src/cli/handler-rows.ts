import { printable, table, timeText } from './printable.js';

/** What the admin API says of one event's handler. */
export interface HandlerItem {
  readonly event: string;
  readonly name: string;
  readonly order: string | null;
  readonly statuses: Readonly<Record<string, number>>;
  readonly runs: number;
  readonly failedRuns: number;
}

export interface PausedHandler {
  readonly handler: string;
  readonly pausedAt: number;
  readonly actor: string;
  readonly reason: string;
  readonly waiting: number;
}

export interface HandlerList {
  readonly items: readonly HandlerItem[];
  /** Also handlers that this process does not have. */
  readonly paused: readonly PausedHandler[];
  /** Of events received from then on. */
  readonly since: number;
}

/** The service counts no further than one more. */
const WAITING_COUNT_MAX = 10_000;

export function handlerLines({ items, paused }: HandlerList): string[] {
  const names = new Set(paused.map(({ handler }) => handler));
  const rows = items.map((item) => [
    printable(item.event),
    printable(item.name),
    item.order ?? '-',
    String(item.runs),
    String(item.failedRuns),
    names.has(item.name) ? 'paused' : '',
    statusesText(item.statuses),
  ]);
  const lines = table([['EVENT', 'HANDLER', 'ORDER', 'RUNS', 'FAILED', 'PAUSED', 'STATUSES'], ...rows]);
  return paused.length === 0 ? lines : [...lines, '', ...pausedLines(paused)];
}

export function pausedLines(paused: readonly PausedHandler[]): string[] {
  const rows = paused.map(({ handler, pausedAt, actor, reason, waiting }) => [
    printable(handler),
    timeText(pausedAt),
    printable(actor),
    waiting > WAITING_COUNT_MAX ? `more than ${WAITING_COUNT_MAX}` : String(waiting),
    printable(reason),
  ]);
  return table([['PAUSED', 'SINCE (UTC)', 'BY', 'WAITING', 'WHY'], ...rows]);
}

function statusesText(statuses: Readonly<Record<string, number>>): string {
  const counts = Object.entries(statuses).map(([status, count]) => `${status} ${count}`);
  return counts.length > 0 ? counts.join(', ') : '-';
}

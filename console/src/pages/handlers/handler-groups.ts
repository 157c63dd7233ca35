import type { HandlerView } from '../../api/views.js';

/** A handler and all that it takes of one event type. */
export interface HandlerGroup extends Omit<HandlerView, 'event'> {
  readonly eventType: string;
  /** Empty: the whole event. */
  readonly changeTypes: readonly string[];
}

export function handlerGroups(items: readonly HandlerView[]): HandlerGroup[] {
  const groups = new Map<string, HandlerGroup>();
  for (const { event, ...handler } of items) {
    const [eventType = '', ...rest] = event.split('/');
    const key = JSON.stringify([eventType, handler.name, handler.machine, handler.order]);
    const before = groups.get(key);
    const changeTypes = [...(before?.changeTypes ?? []), ...(rest.length > 0 ? [rest.join('/')] : [])];
    groups.set(key, { ...handler, ...sumOf(before, handler), eventType, changeTypes });
  }
  return [...groups.values()];
}

type Figures = Pick<HandlerView, 'statuses' | 'runs' | 'failedRuns'>;

function sumOf(before: Figures | undefined, one: Figures): Figures {
  const statuses = { ...before?.statuses };
  for (const [status, count] of Object.entries(one.statuses)) statuses[status] = (statuses[status] ?? 0) + count;
  return {
    statuses,
    runs: (before?.runs ?? 0) + one.runs,
    failedRuns: (before?.failedRuns ?? 0) + one.failedRuns,
  };
}

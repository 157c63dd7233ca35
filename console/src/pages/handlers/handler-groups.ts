import type { HandlerView } from '../../api/views.js';

/** A handler and all that it takes of one event type: figures are told by event type. */
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
    const before = groups.get(key)?.changeTypes ?? [];
    groups.set(key, { ...handler, eventType, changeTypes: rest.length > 0 ? [...before, rest.join('/')] : before });
  }
  return [...groups.values()];
}

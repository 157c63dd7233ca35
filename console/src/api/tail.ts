import { useEffect, useState } from 'react';
import { get } from './client.js';
import type { TailItemView, TailView } from './views.js';

const POLL_MS = 1_000;
const POLL_MS_AFTER_ERROR = 5_000;
const PAGE_ITEMS = 200;
/** More than anybody reads; older ones are in the search. */
export const TAIL_ITEMS_MAX = 300;

export interface Tail {
  /** Newest first. */
  readonly items: readonly TailItemView[];
  readonly error: unknown;
  readonly isLoading: boolean;
}

const EMPTY: Tail = { items: [], error: null, isLoading: true };

/** Decisions as they are made. While it is paused nothing is asked; afterwards nothing was passed over. */
export function useTail(isRunning: boolean): Tail {
  const [tail, setTail] = useState<Tail>(EMPTY);
  const [cursor] = useState<{ lastId?: number }>({});
  useEffect(() => {
    if (!isRunning) return;
    const stop = new AbortController();
    void follow(cursor, stop.signal, (change) => setTail(change));
    return () => stop.abort();
  }, [isRunning, cursor]);
  return tail;
}

async function follow(
  cursor: { lastId?: number },
  signal: AbortSignal,
  change: (next: (before: Tail) => Tail) => void,
): Promise<void> {
  while (!signal.aborted) {
    let pause = POLL_MS;
    try {
      const { items, lastId } = await get<TailView>(
        'events/tail',
        { afterId: cursor.lastId, limit: PAGE_ITEMS },
        signal,
      );
      cursor.lastId = lastId;
      const newest = [...items].reverse();
      change((before) => ({
        items: newest.length === 0 ? before.items : [...newest, ...before.items].slice(0, TAIL_ITEMS_MAX),
        ...{ error: null, isLoading: false },
      }));
      if (items.length === PAGE_ITEMS) pause = 0;
    } catch (error) {
      if (signal.aborted) return;
      change((before) => ({ ...before, error, isLoading: false }));
      pause = POLL_MS_AFTER_ERROR;
    }
    await new Promise((resolve) => setTimeout(resolve, pause));
  }
}

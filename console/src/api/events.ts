import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { get, type Query } from './client.js';
import type { EventDetailView, EventPageView, HistoryView } from './views.js';

const PAGE_ITEMS = 50;

/** Newest received first, page by page. The filter is that of the API, word for word. */
export function useEvents(filter: Query, path: 'events' | 'dead-letters' = 'events') {
  return useInfiniteQuery({
    queryKey: [path, 'list', filter],
    queryFn: ({ pageParam, signal }) =>
      get<EventPageView>(path, { ...filter, after: pageParam, limit: PAGE_ITEMS }, signal),
    initialPageParam: undefined as string | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

export function useEvent(id: number) {
  return useQuery({
    queryKey: ['events', id],
    queryFn: ({ signal }) => get<EventDetailView>(`events/${id}`, { payload: 'false' }, signal),
    refetchInterval: ({ state }) => (state.data && isUnderWay(state.data.status) ? 2_000 : false),
  });
}

/** The plaintext. Each question is a look that the service puts on record, so nothing is asked twice by itself. */
export function usePayload(id: number, isWanted: boolean) {
  return useQuery({
    queryKey: ['events', id, 'payload'],
    queryFn: async ({ signal }) => (await get<EventDetailView>(`events/${id}`, {}, signal)).plaintext,
    ...{ enabled: isWanted, staleTime: Infinity, gcTime: 0, retry: false, refetchOnWindowFocus: false },
  });
}

/** `lastDecidedAt` asks anew when the row has changed. */
export function useHistory(id: number, lastDecidedAt: number | undefined) {
  return useQuery({
    queryKey: ['events', id, 'history', lastDecidedAt],
    queryFn: ({ signal }) => get<HistoryView>(`events/${id}/history`, {}, signal),
    placeholderData: (before) => before,
  });
}

function isUnderWay(status: string): boolean {
  return status === 'RETRY' || status === 'PARKED' || status === 'REDRIVEN';
}

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { get, post } from './client.js';
import type { HandlersView } from './views.js';

export type HandlerMove = 'pause' | 'resume';

export function useHandlers() {
  return useQuery({
    queryKey: ['handlers'],
    queryFn: ({ signal }) => get<HandlersView>('handlers', {}, signal),
    refetchInterval: 10_000,
  });
}

/** By the name of the handler's class: a pause concerns all events that it takes. */
export function useMoveHandler(move: HandlerMove) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: ({ name, reason }: { name: string; reason: string }) =>
      post<HandlersView>(`handlers/${encodeURIComponent(name)}/${move}`, { reason }),
    onSettled: () => queries.invalidateQueries(),
  });
}

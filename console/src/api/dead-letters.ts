import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { get, post } from './client.js';
import type { Action, ErrorGroupsView, ItemResultsView, QueuesView } from './views.js';

export interface SeenItem {
  readonly id: number;
  /** As it was seen, so that two clicks are one. */
  readonly generation: number;
}

export function useErrorGroups() {
  return useQuery({
    queryKey: ['dead-letters', 'groups'],
    queryFn: ({ signal }) => get<ErrorGroupsView>('dead-letters/groups', {}, signal),
    refetchInterval: 10_000,
  });
}

export function useQueues() {
  return useQuery({
    queryKey: ['queues'],
    queryFn: ({ signal }) => get<QueuesView>('queues', {}, signal),
    refetchInterval: 5_000,
  });
}

/** For one event or a few, at once. Many go through a job. */
export function useActNow(action: Action) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: { items: readonly SeenItem[]; reason: string }) =>
      post<ItemResultsView>(`dead-letters/${action}`, body),
    onSettled: () => queries.invalidateQueries(),
  });
}

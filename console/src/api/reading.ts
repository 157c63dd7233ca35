import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { get, type Query } from './client.js';
import type { AppsView, AuditPageView, DependenciesView, EntityView, SummaryView, TrafficView } from './views.js';

export const ANSWERS_WINDOW_MS = 300_000;

export function useSummary() {
  return useQuery({
    queryKey: ['summary'],
    queryFn: ({ signal }) => get<SummaryView>('summary', {}, signal),
    refetchInterval: 5_000,
  });
}

export function useTraffic() {
  return useQuery({
    queryKey: ['traffic'],
    queryFn: ({ signal }) => get<TrafficView>('traffic', { windowMs: ANSWERS_WINDOW_MS }, signal),
    refetchInterval: 5_000,
  });
}

export function useDependencies() {
  return useQuery({
    queryKey: ['dependencies'],
    queryFn: ({ signal }) => get<DependenciesView>('traffic/dependencies', {}, signal),
    refetchInterval: 5_000,
  });
}

/** By the key in base64url: keys themselves hold slashes. */
export function useEntity(ref: string) {
  return useQuery({
    queryKey: ['entities', ref],
    queryFn: ({ signal }) => get<EntityView>(`entities/by-ref/${encodeURIComponent(ref)}`, {}, signal),
    refetchInterval: 10_000,
  });
}

export function useApps() {
  return useQuery({
    queryKey: ['apps'],
    queryFn: ({ signal }) => get<AppsView>('apps', {}, signal),
    refetchInterval: 15_000,
  });
}

export function useAudit(filter: Query) {
  return useInfiniteQuery({
    queryKey: ['audit', filter],
    queryFn: ({ pageParam, signal }) => get<AuditPageView>('audit', { ...filter, beforeId: pageParam }, signal),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
  });
}

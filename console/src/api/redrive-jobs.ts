import { useInfiniteQuery, useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { get, post } from './client.js';
import type { SeenItem } from './dead-letters.js';
import type {
  Action,
  JobItemPageView,
  JobOutcomesView,
  JobStatus,
  RedriveJobDetailView,
  RedriveJobPageView,
  RedriveJobView,
} from './views.js';

export interface NewJob {
  readonly action: Action;
  readonly filter?: Readonly<Record<string, unknown>>;
  readonly items?: readonly SeenItem[];
  /** Items a second. */
  readonly rate: number;
  readonly dryRun: boolean;
  readonly reason: string;
}

export type JobMove = 'start' | 'pause' | 'resume' | 'cancel';

const ENDED: readonly JobStatus[] = ['DONE', 'CANCELLED'];
const RESTING: readonly JobStatus[] = [...ENDED, 'DRAFT', 'PAUSED'];

export function isEnded(status: JobStatus): boolean {
  return ENDED.includes(status);
}

/** Whether something goes on by itself. */
export function isMoving(status: JobStatus): boolean {
  return !RESTING.includes(status);
}

export function useJobs() {
  return useInfiniteQuery({
    queryKey: ['redrive-jobs', 'list'],
    queryFn: ({ pageParam, signal }) => get<RedriveJobPageView>('redrive-jobs', { beforeId: pageParam }, signal),
    initialPageParam: undefined as number | undefined,
    getNextPageParam: ({ next }) => next ?? undefined,
    refetchInterval: ({ state }) =>
      state.data?.pages.some(({ items }) => items.some(({ status }) => isMoving(status))) ? 1_000 : 10_000,
  });
}

export function useJob(id: number) {
  return useQuery({
    queryKey: ['redrive-jobs', id],
    queryFn: ({ signal }) => get<RedriveJobDetailView>(`redrive-jobs/${id}`, {}, signal),
    refetchInterval: ({ state }) => (state.data && isMoving(state.data.status) ? 700 : 5_000),
  });
}

/** What the rows of redriven items say now. Asked again for as long as some of them are under way. */
export function useJobOutcomes(id: number, done: number) {
  return useQuery({
    queryKey: ['redrive-jobs', id, 'outcomes', done],
    queryFn: ({ signal }) => get<JobOutcomesView>(`redrive-jobs/${id}/outcomes`, {}, signal),
    placeholderData: (before) => before,
    refetchInterval: ({ state }) => {
      const { REDRIVEN = 0, RETRY = 0, PARKED = 0 } = state.data?.statuses ?? {};
      return REDRIVEN + RETRY + PARKED > 0 ? 1_500 : false;
    },
  });
}

export function useJobItems(id: number, query: { result?: string; forecast?: string }, seen: string) {
  return useInfiniteQuery({
    queryKey: ['redrive-jobs', id, 'items', query, seen],
    queryFn: ({ pageParam, signal }) =>
      get<JobItemPageView>(`redrive-jobs/${id}/items`, { ...query, fromPlace: pageParam, limit: 100 }, signal),
    initialPageParam: 0,
    getNextPageParam: ({ next }) => next ?? undefined,
    placeholderData: (before) => before,
  });
}

export function useCreateJob() {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (body: NewJob) => post<RedriveJobView>('redrive-jobs', body),
    onSuccess: () => queries.invalidateQueries({ queryKey: ['redrive-jobs'] }),
  });
}

export function useMoveJob(id: number) {
  const queries = useQueryClient();
  return useMutation({
    mutationFn: (move: JobMove) => post<RedriveJobView>(`redrive-jobs/${id}/${move}`),
    onSettled: () => queries.invalidateQueries({ queryKey: ['redrive-jobs'] }),
  });
}

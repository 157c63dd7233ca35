import type { RedriveJobView } from '../../api/views.js';

export interface Progress {
  readonly phase: 'collect' | 'forecast' | 'run';
  readonly done: number;
  readonly total: number;
}

type Job = Pick<RedriveJobView, 'status' | 'dryRun' | 'total' | 'forecastDone' | 'done' | 'startedAt'>;

/** What a job is at; one that was paused or cancelled tells the phase in which it was. */
export function progressOf({ status, dryRun, total, forecastDone, done, startedAt }: Job): Progress {
  if (status === 'COLLECTING') return { phase: 'collect', done: 0, total };
  const wasStarted = startedAt !== null || done > 0 || status === 'RUNNING' || status === 'DONE';
  if (dryRun && !wasStarted) return { phase: 'forecast', done: forecastDone, total };
  return { phase: 'run', done, total };
}

/** Final, for ever. */
export const OUTCOMES = ['APPLIED', 'STALE', 'REJECTED', 'EXPIRED', 'DISCARDED'] as const;
/** Not finished; the row owns the event. */
export const WAITING = ['RETRY', 'PARKED', 'DEAD', 'REDRIVEN'] as const;
/** What the retry consumer runs: every waiting status but DEAD, which only a person moves. */
export const RUNNABLE = ['RETRY', 'PARKED', 'REDRIVEN'] as const;

export type Outcome = (typeof OUTCOMES)[number];
export type WaitingStatus = (typeof WAITING)[number];
export type RunnableStatus = (typeof RUNNABLE)[number];
export type EventStatus = Outcome | WaitingStatus;

export function isOutcome(status: EventStatus): status is Outcome {
  return (OUTCOMES as readonly string[]).includes(status);
}

export interface Timer {
  cancel(): void;
}

/**
 * The only source of time and delay. A simulation replaces it, so nothing else in `src` may call `Date.now()` or a
 * timer (a lint rule checks).
 */
export abstract class Clock {
  /** Milliseconds since 1970, for records that people read and that outlive the process. May step. */
  abstract now(): number;

  /** Milliseconds that never go backwards, for measuring how long something took. */
  abstract monotonic(): number;

  /** Resolves after `ms`; rejects with the signal's reason as soon as `signal` aborts. */
  abstract sleep(ms: number, signal?: AbortSignal): Promise<void>;

  /** Runs `task` once after `ms`. It does not keep the process alive. A throwing task is the caller's bug. */
  abstract after(ms: number, task: () => void): Timer;

  /** Runs `task` every `ms`, first after `ms`. It does not keep the process alive. */
  abstract every(ms: number, task: () => void): Timer;

  /** Resolves in the next turn of the event loop: what arrives until then can be grouped. */
  abstract nextTurn(): Promise<void>;
}

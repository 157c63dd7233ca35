export type LockedRun<T> =
  | {
      readonly kind: 'ran';
      readonly value: T;
      /** False when nobody could say whether another process runs it too. */
      readonly isGuarded: boolean;
    }
  /** Another process runs it; the work was not begun. */
  | { readonly kind: 'held' };

/**
 * Has one process of many do a job that is a waste, not a harm, when two do it at once. The lock is a hint: it may be
 * lost in the middle of the work, and while its server is away everybody works. So whoever uses it says what two at once
 * do to each other, and no promise of the protocol may rest on it.
 */
export abstract class ClusterLock {
  /**
   * Runs `work` while no other process runs work of this name. Never waits for another holder, and never long for the
   * lock's server: when that does not answer, the work runs unguarded. `signal` aborts when the lock was lost; work that
   * goes on then is not alone. Rejects with what the work rejects with, and with nothing else. A holder that dies lets
   * go within the lock's life.
   */
  abstract run<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<LockedRun<T>>;

  /** To be called when no work runs any more. Ends at once, also while the lock's server hangs. */
  abstract close(): Promise<void>;
}

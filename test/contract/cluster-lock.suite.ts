import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ClusterLock } from '../../src/cluster/cluster-lock.js';

export interface ClusterLockHarness {
  /** Two locks as two holders have them: two processes, or two loops of one. */
  make(): Promise<{ readonly first: ClusterLock; readonly second: ClusterLock }>;
  close(): Promise<void>;
  /** Resolves when a lock would have ended that nobody renewed. */
  outliveTtl(): Promise<void>;
}

/** A piece of work that lasts until the test ends it. */
function openEnd() {
  let end!: () => void;
  let started!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const hasStarted = new Promise<void>((resolve) => (started = resolve));
  let signal!: AbortSignal;
  const work = async (given: AbortSignal): Promise<string> => {
    signal = given;
    started();
    await ended;
    return 'done';
  };
  return { work, end, hasStarted, isAborted: () => signal.aborted };
}

const mustNotRun = (): Promise<never> => Promise.reject(new Error('two at once'));

export function describeClusterLock(name: string, harness: ClusterLockHarness): void {
  describe(name, () => {
    let first: ClusterLock;
    let second: ClusterLock;

    beforeEach(async () => {
      ({ first, second } = await harness.make());
    });

    afterEach(() => harness.close());

    it('runs work and gives back what it gives, guarded', async () => {
      expect(await first.run('job', async () => 7)).toEqual({ kind: 'ran', value: 7, isGuarded: true });
    });

    it('does not begin what another holder runs, and does when that one has ended', async () => {
      const long = openEnd();
      const running = first.run('job', long.work);
      await long.hasStarted;
      expect(await second.run('job', mustNotRun)).toEqual({ kind: 'held' });
      long.end();
      expect(await running).toMatchObject({ kind: 'ran', value: 'done' });
      expect(await second.run('job', async () => 'mine')).toMatchObject({
        kind: 'ran',
        value: 'mine',
        isGuarded: true,
      });
    });

    it('keeps jobs of different names apart', async () => {
      const long = openEnd();
      const running = first.run('one', long.work);
      await long.hasStarted;
      expect(await second.run('two', async () => 2)).toMatchObject({ kind: 'ran', value: 2 });
      long.end();
      await running;
    });

    it('hands on what the work rejects with, and lets go', async () => {
      const error = new Error('of the work');
      await expect(first.run('job', () => Promise.reject(error))).rejects.toBe(error);
      expect(await second.run('job', async () => 1)).toMatchObject({ kind: 'ran', value: 1 });
    });

    it('stays held for as long as the work lasts, however long', async () => {
      const long = openEnd();
      const running = first.run('job', long.work);
      await long.hasStarted;
      await harness.outliveTtl();
      expect(await second.run('job', mustNotRun)).toEqual({ kind: 'held' });
      expect(long.isAborted()).toBe(false);
      long.end();
      await running;
    });

    it('lets one of many in at a time', async () => {
      let [inside, most, runs] = [0, 0, 0];
      const work = async (): Promise<void> => {
        inside += 1;
        most = Math.max(most, inside);
        runs += 1;
        await new Promise((resolve) => setImmediate(resolve));
        inside -= 1;
      };
      const results = await Promise.all(
        Array.from({ length: 20 }, (_, n) => (n % 2 ? first : second).run('job', work)),
      );
      expect(most).toBe(1);
      expect(results.filter(({ kind }) => kind === 'ran')).toHaveLength(runs);
      expect(runs).toBeGreaterThan(0);
    });
  });
}

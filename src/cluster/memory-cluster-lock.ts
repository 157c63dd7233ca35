import { ClusterLock, type LockedRun } from './cluster-lock.js';

/** For one process: keeps two of its own loops apart, and is never lost. */
export class MemoryClusterLock extends ClusterLock {
  private readonly held = new Set<string>();

  override async run<T>(name: string, work: (signal: AbortSignal) => Promise<T>): Promise<LockedRun<T>> {
    if (this.held.has(name)) return { kind: 'held' };
    this.held.add(name);
    try {
      return { kind: 'ran', isGuarded: true, value: await work(new AbortController().signal) };
    } finally {
      this.held.delete(name);
    }
  }

  override async close(): Promise<void> {
    this.held.clear();
  }
}

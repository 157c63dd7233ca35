import { MemoryClusterLock } from '../../src/cluster/memory-cluster-lock.js';
import { describeClusterLock } from './cluster-lock.suite.js';

describeClusterLock('MemoryClusterLock', {
  make: async () => {
    const lock = new MemoryClusterLock();
    return { first: lock, second: lock };
  },
  close: async () => undefined,
  // It has no life that could end.
  outliveTtl: async () => undefined,
});

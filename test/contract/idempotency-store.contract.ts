import { MemoryIdempotencyStore } from '../../src/idempotency/embedded/memory-idempotency-store.js';
import { ManualClock } from '../support/manual-clock.js';
import { describeIdempotencyStore } from './idempotency-store.suite.js';

const clock = new ManualClock();
let open: MemoryIdempotencyStore | null = null;

describeIdempotencyStore('MemoryIdempotencyStore', {
  // Its keys live in one process, so all the processes of a test are this one.
  make: async () => (open ??= new MemoryIdempotencyStore(clock, { keysMax: 1_000 })),
  close: async () => {
    await open?.close();
    open = null;
  },
  advance: (ms) => clock.advance(ms),
  features: { exactTime: true, shortMs: 1_000 },
});

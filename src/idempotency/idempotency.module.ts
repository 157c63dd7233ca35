import { Global, Module, type Provider } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { HealthRegistry, healthOf } from '../observability/health-registry.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { Random } from '../runtime/random.js';
import { MemoryIdempotencyStore } from './embedded/memory-idempotency-store.js';
import { EventLeases } from './event-leases.js';
import { IdempotencyStore } from './idempotency-store.js';
import { LeaseWatchdog } from './lease-watchdog.js';

// About 300 bytes of heap each (measured): 60 MB. Past it the oldest SUCCESS keys go, and wall 3 sheds their duplicates.
const EMBEDDED_KEYS_MAX = 200_000;
// How long the guard remembers a handler that began and never ended, beyond its lease.
const START_MEMORY_MS = 600_000;

const store: Provider = {
  provide: IdempotencyStore,
  inject: [Clock, HealthRegistry],
  useFactory: (clock: Clock, health: HealthRegistry) => {
    const memory = new MemoryIdempotencyStore(clock, { keysMax: EMBEDDED_KEYS_MAX });
    // Without the guard all promises hold; it only costs more.
    health.register({ name: 'guard', check: () => healthOf(memory.trouble(), 'degraded') });
    return memory;
  },
};

const leases: Provider = {
  provide: EventLeases,
  inject: [IdempotencyStore, Clock, Random, Log, CONFIG],
  useFactory: (guard: IdempotencyStore, clock: Clock, random: Random, log: Log, config: Config) => {
    const { leaseTtlMs, leaseMaxLifeMs: maxLifeMs, successTtlMs } = config;
    // A third: one renewal may fail and the lease still stands.
    const renewEveryMs = Math.floor(leaseTtlMs / 3);
    const watchdog = new LeaseWatchdog(
      guard,
      clock,
      { leaseTtlMs, renewEveryMs, maxLifeMs },
      {
        warn: ({ event, ...fields }) => log.warn(String(event), fields),
      },
    );
    return new EventLeases(guard, watchdog, clock, random, {
      leaseTtlMs,
      maxLifeMs,
      startMemoryMs: START_MEMORY_MS,
      successTtlMs,
    });
  },
};

/** Wall 1. */
@Global()
@Module({ providers: [store, leases], exports: [IdempotencyStore, EventLeases] })
export class IdempotencyModule {}

import { Global, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { HealthRegistry, healthOf } from '../observability/health-registry.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { Disk } from '../runtime/disk.js';
import { Random } from '../runtime/random.js';
import { MemoryIdempotencyStore } from './embedded/memory-idempotency-store.js';
import { EventLeases } from './event-leases.js';
import { IdempotencyStore } from './idempotency-store.js';
import { LeaseMetrics } from './lease-metrics.js';
import { LeaseWatchdog } from './lease-watchdog.js';
import { RedisIdempotencyStore } from './redis/redis-idempotency-store.js';

// About 300 bytes of heap each (measured): 60 MB. Past it the oldest SUCCESS keys go, and wall 3 sheds their duplicates.
const EMBEDDED_KEYS_MAX = 200_000;
// How long the guard remembers a handler that began and never ended, beyond its lease.
const START_MEMORY_MS = 600_000;

// A start does not wait long for a guard that is away: all promises hold without it.
const OPEN_LIMIT_MS = 2_000;

const store: Provider = {
  provide: IdempotencyStore,
  inject: [CONFIG, Clock, Disk, HealthRegistry, Log],
  useFactory: async (config: Config, clock: Clock, disk: Disk, health: HealthRegistry, log: Log) => {
    const guard = await openGuard(config, clock, disk, log);
    // Without the guard all promises hold; it only costs more.
    health.register({ name: 'guard', check: () => healthOf(guard.trouble(), 'degraded') });
    return guard;
  },
};

/** The guard of the configured engine; for the command line too, which only looks whether it is there. */
export async function openGuard(config: Config, clock: Clock, disk: Disk, log: Log): Promise<IdempotencyStore> {
  switch (config.guard.engine) {
    case 'embedded':
      return new MemoryIdempotencyStore(clock, { keysMax: EMBEDDED_KEYS_MAX });
    case 'redis':
      return RedisIdempotencyStore.open(clock, disk, log, {
        servers: config.guard.servers,
        timeoutMs: config.guardTimeoutMs,
        openLimitMs: OPEN_LIMIT_MS,
      });
  }
}

const leases: Provider = {
  provide: EventLeases,
  inject: [IdempotencyStore, Clock, Random, Log, LeaseMetrics, CONFIG],
  useFactory: (
    guard: IdempotencyStore,
    clock: Clock,
    random: Random,
    log: Log,
    metrics: LeaseMetrics,
    config: Config,
  ) => {
    const { leaseTtlMs, leaseMaxLifeMs: maxLifeMs, successTtlMs } = config;
    // A third: one renewal may fail and the lease still stands.
    const renewEveryMs = Math.floor(leaseTtlMs / 3);
    const watchdog = new LeaseWatchdog(
      guard,
      clock,
      { leaseTtlMs, renewEveryMs, maxLifeMs },
      {
        warn: ({ event, ...fields }) => {
          metrics.warned(String(event), fields);
          log.warn(String(event), fields);
        },
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
@Module({ providers: [LeaseMetrics, store, leases], exports: [IdempotencyStore, EventLeases] })
export class IdempotencyModule implements OnApplicationShutdown {
  constructor(private readonly guard: IdempotencyStore) {}

  /** After consumers and gateway have stopped and given back what they held. */
  async onApplicationShutdown(): Promise<void> {
    await this.guard.close();
  }
}

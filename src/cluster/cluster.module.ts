import { Global, Module, type OnApplicationShutdown, type Provider } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { ClusterLock } from './cluster-lock.js';
import { MemoryClusterLock } from './memory-cluster-lock.js';
import { RedlockClusterLock } from './redlock-cluster-lock.js';

/** Jobs under a lock are done again and again; another process takes over this long after their holder has died. */
const LOCK_TTL_MS = 10_000;
/** Nobody's answer waits for it, so a slow Redis is given more time than on the request path. */
const LOCK_TIMEOUT_MS = 500;
const OPEN_LIMIT_MS = 2_000;

const lock: Provider = {
  provide: ClusterLock,
  inject: [CONFIG, Clock, Log],
  useFactory: async ({ guard }: Config, clock: Clock, log: Log): Promise<ClusterLock> => {
    switch (guard.engine) {
      case 'embedded':
        return new MemoryClusterLock();
      case 'redis': {
        const times = { ttlMs: LOCK_TTL_MS, timeoutMs: LOCK_TIMEOUT_MS, openLimitMs: OPEN_LIMIT_MS };
        return RedlockClusterLock.open(clock, log, { servers: guard.servers, ...times });
      }
    }
  },
};

/** Who of many processes does what only one need do. Where the guard is, there is the lock. */
@Global()
@Module({ providers: [lock], exports: [ClusterLock] })
export class ClusterModule implements OnApplicationShutdown {
  constructor(private readonly lock: ClusterLock) {}

  /** After the workers' loops have stopped. */
  async onApplicationShutdown(): Promise<void> {
    await this.lock.close();
  }
}

import type { Config } from '../config/config.js';
import type { PartHealth } from '../observability/health-registry.js';
import type { Log } from '../observability/log.js';
import type { Clock } from '../runtime/clock.js';
import type { Transport } from './transport.js';

/** What every engine is opened with. */
export interface Opening {
  readonly config: Config;
  readonly clock: Clock;
  readonly log: Log;
}

export interface OpenedTransport {
  readonly transport: Transport;
  /** A gateway goes on with its spool, a worker has nothing to do: neither is helped by taking it out of service. */
  readonly check: () => PartHealth;
}

/** For a message that comes back without a time of its own. */
export const DEFAULT_COME_BACK_MS = 1_000;

import type { GuardAddress, GuardServers } from '../../src/config/guard-servers.js';
import { RedisIdempotencyStore } from '../../src/idempotency/redis/redis-idempotency-store.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { SystemDisk } from '../../src/runtime/system-disk.js';

export interface GuardLine {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Generous, for a machine that runs much else; tests about the limit set their own. */
const TIMEOUT_MS = 2_000;

/** A guard on one Redis, or on whatever the servers are, with what it logged. */
export async function openGuard(
  where: GuardAddress | GuardServers,
  { timeoutMs = TIMEOUT_MS, openLimitMs = 5_000 } = {},
): Promise<{ store: RedisIdempotencyStore; lines: GuardLine[] }> {
  const lines: GuardLine[] = [];
  const note = (event: string, fields: GuardLine['fields']): void => void lines.push({ event, fields });
  const store = await RedisIdempotencyStore.open(
    new SystemClock(),
    new SystemDisk(),
    { info: note, warn: note },
    { servers: 'kind' in where ? where : { kind: 'single', address: where }, timeoutMs, openLimitMs },
  );
  return { store, lines };
}

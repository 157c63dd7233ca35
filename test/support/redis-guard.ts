import type { GuardAddress } from '../../src/config/guard-address.js';
import { RedisIdempotencyStore } from '../../src/idempotency/redis/redis-idempotency-store.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { SystemDisk } from '../../src/runtime/system-disk.js';

export interface GuardLine {
  readonly event: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** Generous, for a machine that runs much else; tests about the limit set their own. */
const TIMEOUT_MS = 2_000;

/** A guard on Redis with what it logged. */
export async function openGuard(
  address: GuardAddress,
  { timeoutMs = TIMEOUT_MS, openLimitMs = 5_000 } = {},
): Promise<{ store: RedisIdempotencyStore; lines: GuardLine[] }> {
  const lines: GuardLine[] = [];
  const note = (event: string, fields: GuardLine['fields']): void => void lines.push({ event, fields });
  const store = await RedisIdempotencyStore.open(
    new SystemClock(),
    new SystemDisk(),
    { info: note, warn: note },
    { address, timeoutMs, openLimitMs },
  );
  return { store, lines };
}

import type { GuardAddress } from '../config/guard-servers.js';
import type { Clock } from '../runtime/clock.js';
import { within } from '../runtime/within.js';
import { readClusterSlots, type ClusterMap } from './cluster-map.js';
import { passingConnection } from './redis-connection.js';

/** A server that hangs may not keep the others from being asked. */
const SURVEY_LIMIT_MS = 1_000;
/** Asked side by side; in the next round it is the turn of others. */
const ASKED_AT_ONCE = 3;

export interface Survey {
  /** The first whole map, or else the most complete one. Null when nobody answered. */
  readonly map: ClusterMap | null;
  readonly error: unknown;
}

/** Asks some servers of a cluster which of them has which slot, each over a connection of its own that ends with it. */
export async function askForMap(
  clock: Clock,
  candidates: { readonly sure: readonly GuardAddress[]; readonly others: readonly GuardAddress[] },
  { name, round }: { readonly name: string; readonly round: number },
): Promise<Survey> {
  const asked = [...turned(candidates.sure, round), ...turned(candidates.others, round)].slice(0, ASKED_AT_ONCE);
  const incomplete: ClusterMap[] = [];
  let lastError: unknown = null;
  const answers = asked.map(async (address) => {
    try {
      const map = await askOne(clock, address, name);
      if (map.uncoveredCount === 0) return map;
      incomplete.push(map);
    } catch (error) {
      lastError = error;
    }
    throw lastError;
  });
  try {
    return { map: await Promise.any(answers), error: null };
  } catch {
    const [best = null] = incomplete.sort((a, b) => a.uncoveredCount - b.uncoveredCount);
    return { map: best, error: lastError };
  }
}

async function askOne(clock: Clock, address: GuardAddress, name: string): Promise<ClusterMap> {
  const redis = passingConnection(address, name, SURVEY_LIMIT_MS);
  let cause: unknown = null;
  redis.on('error', (error) => (cause = error));
  try {
    const answer = redis.connect().then(() => redis.call('CLUSTER', 'SLOTS'));
    return readClusterSlots(await within(clock, SURVEY_LIMIT_MS, 'a connection to Redis', answer), address);
  } catch (error) {
    // What ended the connection says more than that it has ended.
    throw cause ?? error;
  } finally {
    redis.disconnect();
  }
}

function turned<T>(list: readonly T[], by: number): readonly T[] {
  const start = list.length === 0 ? 0 : by % list.length;
  return [...list.slice(start), ...list.slice(0, start)];
}

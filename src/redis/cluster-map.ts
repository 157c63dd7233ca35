import type { GuardAddress } from '../config/guard-servers.js';

export const SLOT_COUNT = 16_384;
/** A cluster has at most a thousand servers, by its makers' own limit. */
const MASTERS_MAX = 1_000;
/** With a thousand masters a tag takes a thousand tries on average. */
const TAGS_MAX = 200_000;
/** Of one server, in a log line. */
const RANGES_MAX = 5;

export interface HostAndPort {
  readonly host: string;
  readonly port: number;
}

export interface Redirection extends HostAndPort {
  readonly kind: 'moved' | 'ask';
  readonly slot: number;
}

/** Which server has which slot, by the cluster's own account. Servers go by `host:port`. */
export interface ClusterMap {
  readonly owners: (string | undefined)[];
  readonly masters: ReadonlyMap<string, HostAndPort>;
  readonly replicas: ReadonlyMap<string, HostAndPort>;
  /** Slots that nobody has. */
  readonly uncoveredCount: number;
}

export function nameOf({ host, port }: HostAndPort): string {
  return `${host}:${port}`;
}

/**
 * Reads the answer to CLUSTER SLOTS: of each range its first slot, its last slot, and its servers, the master first.
 * A server that does not know its own address leaves it empty; it is then where it was asked.
 */
export function readClusterSlots(answer: unknown, asked: GuardAddress): ClusterMap {
  const owners = new Array<string | undefined>(SLOT_COUNT).fill(undefined);
  const [masters, replicas] = [new Map<string, HostAndPort>(), new Map<string, HostAndPort>()];
  let uncoveredCount = SLOT_COUNT;
  for (const range of listOf(answer)) {
    const [first, last, ...servers] = listOf(range);
    const [master, ...others] = servers.map((server) => readServer(server, asked));
    if (master === undefined || masters.size >= MASTERS_MAX) continue;
    masters.set(nameOf(master), master);
    for (const replica of others) replicas.set(nameOf(replica), replica);
    for (let slot = Number(first); slot <= Number(last) && slot < SLOT_COUNT; slot += 1) {
      if (owners[slot] === undefined) uncoveredCount -= 1;
      owners[slot] = nameOf(master);
    }
  }
  return { owners, masters, replicas, uncoveredCount };
}

function readServer(server: unknown, asked: GuardAddress): HostAndPort {
  const [host, port] = listOf(server);
  return { host: typeof host === 'string' && host !== '' ? host : asked.host, port: Number(port) };
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** `MOVED 3999 10.0.0.5:6381` (for good) or `ASK …` (this once: the slot is on its way). Null for any other error. */
export function redirectionOf(error: unknown, asked: HostAndPort): Redirection | null {
  if (!(error instanceof Error)) return null;
  const [, word, slot, host, port] = /^(MOVED|ASK) (\d+) (\S*):(\d+)$/.exec(error.message) ?? [];
  if (word === undefined || Number(slot) >= SLOT_COUNT) return null;
  return {
    kind: word === 'ASK' ? 'ask' : 'moved',
    slot: Number(slot),
    host: host || asked.host,
    port: Number(port),
  };
}

/** CRC-16 (XMODEM) of what stands in the first braces, or of the whole key. */
export function slotOf(key: string): number {
  const open = key.indexOf('{');
  const close = open < 0 ? -1 : key.indexOf('}', open + 1);
  let crc = 0;
  for (const byte of Buffer.from(close > open + 1 ? key.slice(open + 1, close) : key)) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit += 1) crc = crc & 0x8000 ? ((crc << 1) ^ 0x1021) & 0xffff : (crc << 1) & 0xffff;
  }
  return crc % SLOT_COUNT;
}

/** A tag on a slot of this server, so that it can be asked for something of its own; the first one if it has none. */
export function tagOn(owners: readonly (string | undefined)[], server: string, stem: string): string {
  for (let n = 0; n < TAGS_MAX; n += 1) {
    const tag = n === 0 ? stem : `${stem}.${n}`;
    if (owners[slotOf(tag)] === server) return tag;
  }
  return stem;
}

/** `0-5460`, or `0-100,200-300`, for people. */
export function rangesOf(owners: readonly (string | undefined)[], server: string): string {
  const ranges: string[] = [];
  let first = -1;
  for (let slot = 0; slot <= SLOT_COUNT; slot += 1) {
    const isIts = slot < SLOT_COUNT && owners[slot] === server;
    if (isIts && first < 0) first = slot;
    if (isIts || first < 0) continue;
    ranges.push(first === slot - 1 ? String(first) : `${first}-${slot - 1}`);
    first = -1;
  }
  const more = ranges.length - RANGES_MAX;
  return more > 0 ? `${ranges.slice(0, RANGES_MAX).join(',')} and ${more} more` : ranges.join(',') || 'none';
}

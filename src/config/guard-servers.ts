import { X509Certificate } from 'node:crypto';
import { createSecureContext } from 'node:tls';
import { parseRedisUrl, type GuardAccount, type GuardAddress } from './guard-address.js';

export type { Certificates, GuardAccount, GuardAddress } from './guard-address.js';

/** What the Redis of a deployment consists of. Accounts hold passwords: never to be logged. */
export type GuardServers =
  | { readonly kind: 'single'; readonly address: GuardAddress }
  | {
      readonly kind: 'sentinel';
      readonly sentinels: readonly GuardAddress[];
      readonly masterName: string;
      /** How to log in at the master, wherever it is. */
      readonly master: GuardAccount;
    }
  /** Some of the cluster's servers; they tell of the others. The account is the same on all. */
  | { readonly kind: 'cluster'; readonly seeds: readonly GuardAddress[] };

/** The settings that name them. */
export interface GuardServerSettings {
  readonly REDIS_URL?: string;
  readonly REDIS_CLUSTER?: string;
  readonly REDIS_SENTINELS?: string;
  readonly REDIS_TLS_CA?: string;
  readonly REDIS_TLS_CERT?: string;
  readonly REDIS_TLS_KEY?: string;
}

const REDIS_PORT = 6_379;
const SENTINEL_PORT = 26_379;
/** Enough to find a cluster by, or for a majority of Sentinels. */
const HOSTS_MAX = 32;
const NO_OPTIONS = 'without options behind a "?"';

/** Null with faults added to `faults`, none of which holds an address. */
export function readGuardServers(settings: GuardServerSettings, faults: string[]): GuardServers | null {
  const servers = readServers(settings, faults);
  const certificates = readCertificates(settings, faults);
  if (servers === null) return null;
  const known = Object.keys(certificates).length > 0 ? { certificates } : {};
  const withThem = <T extends GuardAccount>(account: T): T => (account.tls ? { ...account, ...known } : account);
  const accounts = accountsOf(servers);
  if (Object.keys(known).length > 0 && !accounts.some(({ tls }) => tls))
    faults.push('REDIS_TLS_CA, REDIS_TLS_CERT, REDIS_TLS_KEY: are for rediss:// addresses only');
  switch (servers.kind) {
    case 'single':
      return { ...servers, address: withThem(servers.address) };
    case 'cluster':
      return { ...servers, seeds: servers.seeds.map(withThem) };
    case 'sentinel':
      return { ...servers, sentinels: servers.sentinels.map(withThem), master: withThem(servers.master) };
  }
}

function accountsOf(servers: GuardServers): readonly GuardAccount[] {
  if (servers.kind === 'single') return [servers.address];
  return servers.kind === 'cluster' ? servers.seeds : [...servers.sentinels, servers.master];
}

function readServers(settings: GuardServerSettings, faults: string[]): GuardServers | null {
  const { REDIS_URL: url, REDIS_CLUSTER: cluster, REDIS_SENTINELS: sentinels } = settings;
  if (cluster && (url || sentinels)) {
    faults.push('REDIS_CLUSTER: stands alone, without REDIS_URL and REDIS_SENTINELS');
    return null;
  }
  if (cluster) return readCluster(cluster, faults);
  if (sentinels) return readSentinels(sentinels, url, faults);
  const address = url ? parseRedisUrl(url) : null;
  if (address !== null) return { kind: 'single', address };
  faults.push(
    url
      ? `REDIS_URL: must be redis://user:password@host:port/db or rediss://…, ${NO_OPTIONS}`
      : 'REDIS_URL: must be set with GUARD=redis',
  );
  return null;
}

function readCluster(text: string, faults: string[]): GuardServers | null {
  const seeds = parseHostList(text, REDIS_PORT);
  if (seeds !== null) return { kind: 'cluster', seeds };
  faults.push(
    `REDIS_CLUSTER: must be redis://user:password@host:port,host:port or rediss://…, of at most ${HOSTS_MAX} hosts, without a database and ${NO_OPTIONS}`,
  );
  return null;
}

function readSentinels(text: string, url: string | undefined, faults: string[]): GuardServers | null {
  const sentinels = parseHostList(text, SENTINEL_PORT);
  if (sentinels === null)
    faults.push(
      `REDIS_SENTINELS: must be redis://user:password@host:port,host:port or rediss://…, of at most ${HOSTS_MAX} hosts, without a database and ${NO_OPTIONS}`,
    );
  // A port that nobody has: if it comes back, the text named none.
  const master = url ? parseRedisUrl(url, 0) : null;
  if (master === null || master.port !== 0)
    faults.push(
      `REDIS_URL: must be redis://user:password@master-name/db with REDIS_SENTINELS, without a port and ${NO_OPTIONS}`,
    );
  if (sentinels === null || master === null || master.port !== 0) return null;
  const { host: masterName, port: _, ...account } = master;
  return { kind: 'sentinel', sentinels, masterName, master: account };
}

/** `redis://user:password@host:port,host:port`: one account for all of them. Null when it is anything else. */
function parseHostList(text: string, defaultPort: number): readonly GuardAddress[] | null {
  const [, scheme = '', account = '', hosts = ''] = /^(rediss?:\/\/)([^/@?#]*@)?([^/@?#]+)\/?$/.exec(text) ?? [];
  const names = hosts.split(',');
  if (names.length > HOSTS_MAX) return null;
  const addresses = names.map((host) => parseRedisUrl(`${scheme}${account}${host}`, defaultPort));
  return addresses.every((address) => address !== null) ? addresses : null;
}

/** Read here, so that a wrong file stops the start instead of keeping Redis away. */
function readCertificates(settings: GuardServerSettings, faults: string[]): NonNullable<GuardAccount['certificates']> {
  const { REDIS_TLS_CA: ca, REDIS_TLS_CERT: cert, REDIS_TLS_KEY: key } = settings;
  // Text that is no certificate would be passed over in silence, and with it the only authority to trust.
  if (ca && !isCertificate(ca)) faults.push('REDIS_TLS_CA: must be certificates in PEM form');
  if (Boolean(cert) !== Boolean(key)) faults.push('REDIS_TLS_CERT, REDIS_TLS_KEY: belong together');
  else if (cert && !isPair(cert, key))
    faults.push('REDIS_TLS_CERT, REDIS_TLS_KEY: must be a certificate and its key in PEM form, without a passphrase');
  return { ...(ca ? { ca } : {}), ...(cert ? { cert } : {}), ...(key ? { key } : {}) };
}

function isCertificate(text: string): boolean {
  try {
    return new X509Certificate(text).subject !== undefined;
  } catch {
    return false;
  }
}

function isPair(cert: string, key: string | undefined): boolean {
  try {
    createSecureContext({ cert, key });
    return true;
  } catch {
    return false;
  }
}

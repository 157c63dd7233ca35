import { Redis, type RedisOptions } from 'ioredis';
import { isIP } from 'node:net';
import type { ConnectionOptions } from 'node:tls';
import type { Certificates, GuardAccount, GuardAddress, GuardServers } from '../config/guard-servers.js';

/** What one connection leads to: a server, or whichever server the Sentinels call the master at that moment. */
export type ConnectionTarget = Exclude<GuardServers, { kind: 'cluster' }>;

/** The breaker's pause: no more than one connection is tried in this time. Short, as each try costs no caller anything. */
export const RECONNECT_AFTER_MS = 250;
/** Of a Sentinel: from the start of its connection to its answer. The next one is asked then. */
const SENTINEL_LIMIT_MS = 500;

/** A client that keeps nothing for later and never gives up; it connects when told to. */
export function keptConnection(target: ConnectionTarget, name: string): Redis {
  return new Redis({
    ...(target.kind === 'single' ? toServer(target.address) : toMaster(target)),
    connectionName: name,
    disableClientInfo: true,
    lazyConnect: true,
    // How long to wait for the other end to hang up as well: not at all.
    disconnectTimeout: 1,
    // No step may run later than its caller waits for it: no queue while there is no connection, and no resending.
    enableOfflineQueue: false,
    autoResendUnfulfilledCommands: false,
    maxRetriesPerRequest: 0,
    retryStrategy: () => RECONNECT_AFTER_MS,
    maxLoadingRetryTime: RECONNECT_AFTER_MS,
  });
}

/** A client for one question: it ends with the connection, and with whatever takes longer than `limitMs`. */
export function passingConnection(address: GuardAddress, name: string, limitMs: number): Redis {
  return new Redis({
    ...toServer(address),
    connectionName: name,
    disableClientInfo: true,
    lazyConnect: true,
    disconnectTimeout: 1,
    enableReadyCheck: false,
    connectTimeout: limitMs,
    commandTimeout: limitMs,
    retryStrategy: null,
  });
}

function toServer(address: GuardAddress): RedisOptions {
  const { host, port, db, tls, certificates } = address;
  // The name is what a server with many certificates chooses by.
  const name = isIP(host) === 0 ? { servername: host } : {};
  return { host, port, db, ...login(address), ...(tls ? { tls: { ...tlsOptions(certificates), ...name } } : {}) };
}

function toMaster({ master, masterName, sentinels }: Extract<ConnectionTarget, { kind: 'sentinel' }>): RedisOptions {
  const [{ tls: sentinelTls, username, password, certificates } = master] = sentinels;
  return {
    name: masterName,
    role: 'master',
    sentinels: sentinels.map(({ host, port }) => ({ host, port })),
    ...(username === undefined ? {} : { sentinelUsername: username }),
    ...(password === undefined ? {} : { sentinelPassword: password }),
    ...(sentinelTls ? { sentinelTLS: tlsOptions(certificates) } : {}),
    sentinelCommandTimeout: SENTINEL_LIMIT_MS,
    // Without a number here the client would give up for ever when no Sentinel answers.
    sentinelRetryStrategy: () => RECONNECT_AFTER_MS,
    // The list is what the setting says: addresses that Sentinels tell of may not be reachable from here.
    updateSentinels: false,
    db: master.db,
    ...login(master),
    ...(master.tls ? { tls: tlsOptions(master.certificates), enableTLSForSentinelMode: true } : {}),
  };
}

function login({ username, password }: GuardAccount): Pick<RedisOptions, 'username' | 'password'> {
  return { ...(username === undefined ? {} : { username }), ...(password === undefined ? {} : { password }) };
}

/** Checks of the chain and of the host's name stay as Node has them: on. */
function tlsOptions(certificates: Certificates = {}): ConnectionOptions {
  return { ...certificates };
}

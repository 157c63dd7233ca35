import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Config } from '../config/config.js';
import { partsOf } from '../config/roles.js';

const DAY_MS = 86_400_000;

/** What each part of the service would be with these settings. No secret, no user, no password. */
export function describeConfig(config: Config): Record<string, readonly string[]> {
  const { callbacks, worker, admin, database, transport } = partsOf(config.role);
  const runs = [callbacks ? 'callbacks' : null, worker ? 'worker' : null, admin ? 'admin API' : null];
  return {
    role: [`${config.role}: ${runs.filter((part) => part !== null).join(', ')}`],
    data: [folderText(config.dataDir)],
    ...(callbacks ? { callbacks: [`${config.host}:${config.port}`, ...appTexts(config)] } : {}),
    admin: [`${config.adminHost}:${config.adminPort}${admin ? `, ${tokenText(config)}` : ', health and metrics only'}`],
    ...(database ? { database: [databaseText(config)] } : {}),
    ...(transport ? { transport: [transportText(config), topicsText(config)], guard: [guardText(config)] } : {}),
    ...(callbacks ? { spool: [`${join(config.dataDir, 'spool')}, at most ${config.spoolBytesMax} bytes`] } : {}),
    ...(worker ? { worker: workerTexts(config) } : {}),
  };
}

function folderText(dataDir: string): string {
  const path = resolve(dataDir);
  return existsSync(path) ? path : `${path} (would be made)`;
}

function appTexts({ apps, isDemo }: Config): string[] {
  return [...apps.values()].map(({ name, credentials, receiveIds, deadlineMs, nackMode, api }) => {
    const keys = credentials.length === 1 ? '1 pair of keys' : `${credentials.length} pairs of keys`;
    const ids = receiveIds.map((id) => (id === '' ? '(empty)' : id)).join(', ');
    const demo = isDemo ? ', the demo app: WECOM_APPS_FILE is not set' : '';
    const reads = api === null ? '' : ', re-reads from WeCom’s API';
    return `/wecom/callbacks/${name}: receive id ${ids}, ${keys}, answers within ${deadlineMs} ms, else ${nackMode}${reads}${demo}`;
  });
}

function tokenText({ adminTokenPath }: Config): string {
  if (adminTokenPath === null) return 'its token is set';
  return `its token is in ${adminTokenPath}${existsSync(adminTokenPath) ? '' : ' (would be made)'}`;
}

function databaseText({ store, dataDir }: Config): string {
  if (store.engine === 'sqlite') return `sqlite, ${join(dataDir, 'wecom.sqlite')}`;
  const { host, port, database, tls } = store.address;
  return `${store.engine}, ${host}:${port}/${database}${tls ? ', TLS' : ''}, ${store.poolMax} connections, ${store.timeoutMs} ms`;
}

function guardText({ guard, guardTimeoutMs }: Config): string {
  if (guard.engine === 'embedded') return 'embedded, in memory';
  const { servers } = guard;
  const hosts = (list: readonly { host: string; port: number }[]): string =>
    list.map(({ host, port }) => `${host}:${port}`).join(', ');
  const where = {
    single: () => (servers.kind === 'single' ? hosts([servers.address]) : ''),
    sentinel: () =>
      servers.kind === 'sentinel' ? `master ${servers.masterName} of Sentinels ${hosts(servers.sentinels)}` : '',
    cluster: () => (servers.kind === 'cluster' ? `cluster ${hosts(servers.seeds)}` : ''),
  }[servers.kind]();
  return `redis, ${where}, waits at most ${guardTimeoutMs} ms`;
}

function transportText({ transport, dataDir, publishTimeoutMs }: Config): string {
  const waits = `waits at most ${publishTimeoutMs} ms`;
  switch (transport.engine) {
    case 'sqlite':
      return `sqlite, ${join(dataDir, 'queue.sqlite')}`;
    case 'kafka': {
      const { brokers, sasl, tls } = transport;
      return `kafka, ${brokers.join(', ')}${sasl ? `, ${sasl.mechanism}` : ''}${tls ? ', TLS' : ''}, ${waits}`;
    }
    case 'rocketmq':
      return `rocketmq, ${transport.endpoints}${transport.credentials ? ', with an ACL user' : ''}, ${waits}`;
  }
}

function topicsText({ eventsTopic, dlqTopic, eventsGroup, dlqGroup }: Config): string {
  return `topics ${eventsTopic} (group ${eventsGroup}), ${dlqTopic} (group ${dlqGroup})`;
}

function workerTexts({
  workerLanes,
  workerBatchMax,
  retryDelaysMs,
  leaseTtlMs,
  leaseMaxLifeMs,
  kept,
}: Config): string[] {
  const days = (ms: number | null): string => (ms === null ? 'for ever' : `${Math.round(ms / DAY_MS)} d`);
  return [
    `${workerLanes} batches of at most ${workerBatchMax}; lease ${leaseTtlMs} ms, a handler at most ${leaseMaxLifeMs} ms`,
    `retries after ${retryDelaysMs.join(', ')} ms`,
    `kept: events ${days(kept.eventsMs)}, histories ${days(kept.historyMs)}, time lines ${days(kept.changesMs)}, audit ${days(kept.auditMs)}`,
  ];
}

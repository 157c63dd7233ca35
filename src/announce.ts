import { resolve } from 'node:path';
import type { Config } from './config/config.js';
import { partsOf, type Role } from './config/roles.js';
import type { RunningGateway } from './gateway-app.js';
import type { Log } from './observability/log.js';

const SENTENCES: Readonly<Record<Role, string>> = {
  all: 'Ready: gateway, worker and admin API in one process.',
  gateway: 'Ready: takes callbacks and puts their events on the transport. It uses no database.',
  worker: 'Ready: applies events from the transport to the database. It takes no callbacks.',
  admin: 'Ready: admin API on the database. It takes no callbacks and applies no events.',
};

/** The first lines of the log: where to point WeCom, what runs here, where to look. No secrets. */
export function announce(
  config: Config,
  { port, adminPort }: Pick<RunningGateway, 'port' | 'adminPort'>,
  log: Log,
): void {
  for (const warning of config.warnings) log.warn('config.warned', { warning });
  if (port !== null) announceApps(config, port, log);
  const { admin } = partsOf(config.role);
  const base = `http://${config.adminHost}:${adminPort}`;
  const places = { health: `${base}/health/ready`, metrics: `${base}/metrics` };
  const api = { admin: `${base}/admin/api/v1/summary`, adminToken: config.adminTokenPath ?? 'set' };
  const data = { dataDir: resolve(config.dataDir) };
  log.info('service.started', { role: config.role, ...(admin ? api : {}), ...places, ...data }, SENTENCES[config.role]);
}

function announceApps(config: Config, port: number, log: Log): void {
  const base = `http://${config.host === '0.0.0.0' ? '<this host>' : config.host}:${port}`;
  for (const app of config.apps.values()) {
    const url = `${base}/wecom/callbacks/${app.name}`;
    const sentence = `App ${app.name}: enter this URL as its “receive messages” URL in WeCom’s console:`;
    log.info('app.ready', { url, app: app.name, keyPairs: app.credentials.length }, sentence);
  }
  if (!config.isDemo) return;
  const credentials = resolve(config.dataDir, 'demo.json');
  const sentence = 'No WECOM_APPS_FILE is set: this is a demo app on loopback. Try it with: npm run simulate';
  log.info('app.demo', { credentials }, sentence);
}

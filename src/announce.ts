import { resolve } from 'node:path';
import type { Config } from './config/config.js';
import type { RunningGateway } from './gateway-app.js';
import type { Log } from './observability/log.js';

/** The first lines of the log: where to point WeCom, what is configured, where to look. No secrets. */
export function announce(
  config: Config,
  { port, adminPort }: Pick<RunningGateway, 'port' | 'adminPort'>,
  log: Log,
): void {
  for (const warning of config.warnings) log.warn('config.mended', { warning });
  const base = `http://${config.host === '0.0.0.0' ? '<this host>' : config.host}:${port}`;
  const admin = `http://${config.adminHost}:${adminPort}`;
  for (const app of config.apps.values()) {
    const url = `${base}/wecom/callbacks/${app.name}`;
    const sentence = `App ${app.name}: enter this URL as its “receive messages” URL in WeCom’s console:`;
    log.info('app.ready', { url, app: app.name, keyPairs: app.credentials.length }, sentence);
  }
  if (config.isDemo) {
    const credentials = resolve(config.dataDir, 'demo.json');
    const sentence = 'No WECOM_APPS_FILE is set: this is a demo app on loopback. Try it with: npm run simulate';
    log.info('app.demo', { credentials }, sentence);
  }
  const places = {
    admin: `${admin}/admin/api/v1/summary`,
    health: `${admin}/health/ready`,
    metrics: `${admin}/metrics`,
  };
  const data = { dataDir: resolve(config.dataDir), adminToken: config.adminTokenPath ?? 'set' };
  log.info(
    'service.started',
    { role: config.role, ...places, ...data },
    'Ready: gateway, worker and admin API in one process.',
  );
}

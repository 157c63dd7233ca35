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
    log.info('app.ready', {
      app: app.name,
      url,
      keys: app.credentials.length,
      hint: 'Enter this URL in the app’s “receive messages” settings in WeCom’s console.',
    });
  }
  if (config.isDemo) {
    log.info('app.demo', {
      credentials: `${config.dataDir}/demo.json`,
      hint: 'No WECOM_APPS_FILE is set, so this is a demo app on loopback. Try it: npm run simulate',
    });
  }
  log.info('service.started', {
    role: config.role,
    dataDir: config.dataDir,
    adminApi: `${admin}/admin/api/v1/summary`,
    adminToken: 'set',
    health: `${admin}/health/ready`,
    metrics: `${admin}/metrics`,
  });
}

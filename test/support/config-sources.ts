import type { ConfigSources } from '../../src/config/load-config.js';

export const ADMIN_TOKEN = 'test-admin-token-0123456789';

/** Where a service inside a test's process reads its settings: free ports, quiet, with apps of the test's own. */
export function configSources(
  dataDir: string,
  env: Readonly<Record<string, string>>,
  readText: ConfigSources['readText'],
): ConfigSources {
  const settings = {
    PORT: '0',
    ADMIN_PORT: '0',
    HOST: '127.0.0.1',
    DATA_DIR: dataDir,
    ADMIN_TOKEN,
    LOG_LEVEL: 'error',
  };
  return {
    env: { ...settings, ...env },
    readText,
    hostname: 'test',
    pid: process.pid,
    demoApps: () => {
      throw new Error('this test brings its own apps');
    },
    adminTokenPath: () => '',
    adminToken: () => ADMIN_TOKEN,
  };
}

import { describe, expect, it } from 'vitest';
import { ConfigError, type Config } from './config.js';
import { loadConfig } from './load-config.js';

const APP = { token: 'abc', encodingAESKey: 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C', receiveId: 'ww1' };
const ROCKETMQ = { TRANSPORT: 'rocketmq', ROCKETMQ_ENDPOINTS: 'proxy-a:8081;10.0.0.2:8081' };

function load(env: Record<string, string>): Config {
  return loadConfig({
    env: { WECOM_APPS_FILE: 'apps', ...env },
    readText: (path) => (path === 'secret' ? 'a-secret\n' : JSON.stringify({ self: APP })),
    hostname: 'host',
    pid: 1,
    demoApps: () => ({ text: JSON.stringify({ demo: APP }), path: 'data/demo.json' }),
    adminTokenPath: (dataDir) => `${dataDir}/admin-token`,
    adminToken: () => 'made-once',
  });
}

function faults(env: Record<string, string>): readonly string[] {
  try {
    load(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('TRANSPORT=rocketmq', () => {
  it('is not the default, whatever else is set', () => {
    expect(load({ ROCKETMQ_ENDPOINTS: 'proxy:8081' }).transport).toEqual({ engine: 'sqlite' });
  });

  it('takes endpoints, namespace and credentials, the secret from a file', () => {
    const credentials = { ROCKETMQ_ACCESS_KEY: 'gateway', ROCKETMQ_SECRET_KEY_FILE: 'secret' };
    expect(load({ ...ROCKETMQ, ...credentials, ROCKETMQ_NAMESPACE: 'prod' }).transport).toEqual({
      engine: 'rocketmq',
      endpoints: 'proxy-a:8081;10.0.0.2:8081',
      namespace: 'prod',
      credentials: { accessKey: 'gateway', secretKey: 'a-secret' },
    });
    expect(load(ROCKETMQ).transport).toMatchObject({ namespace: '', credentials: null });
  });

  it.each([
    ['ROCKETMQ_ENDPOINTS: must be set', { ROCKETMQ_ENDPOINTS: '' }],
    ['ROCKETMQ_ENDPOINTS: must be host:port', { ROCKETMQ_ENDPOINTS: 'http://proxy:8081' }],
    ['ROCKETMQ_NAMESPACE: ', { ROCKETMQ_NAMESPACE: 'a%b' }],
    ['ROCKETMQ_ACCESS_KEY: ', { ROCKETMQ_SECRET_KEY: 'x' }],
    ['ROCKETMQ_SECRET_KEY: ', { ROCKETMQ_ACCESS_KEY: 'x' }],
    ['DLQ_TOPIC: ', { EVENTS_TOPIC: 'a.b', DLQ_TOPIC: 'a-b' }],
    ['DLQ_GROUP: ', { EVENTS_GROUP: 'a.b', DLQ_GROUP: 'a-b' }],
    ['BODY_BYTES_MAX: ', { BODY_BYTES_MAX: '4000000' }],
    ['WECOM_APPS_FILE: ', { WECOM_APPS_FILE: '' }],
  ])('names what is wrong: %s', (beginning, env) => {
    const found = faults({ ...ROCKETMQ, ...env });
    expect(found).toHaveLength(1);
    expect(found[0]!.startsWith(beginning)).toBe(true);
  });
});

import { describe, expect, it } from 'vitest';
import { configSources } from '../../test/support/config-sources.js';
import { loadConfig } from './load-config.js';

const load = (env: Record<string, string>) => loadConfig(configSources('', { ROLE: 'admin', ...env }, () => ''));

describe('settings of access', () => {
  it('are safe when nothing is set', () => {
    expect(load({}).access).toEqual({
      ...{ sessionIdleMs: 3_600_000, sessionMaxMs: 43_200_000, secureCookie: true, lockMs: 900_000 },
      ...{ accountFailuresMax: 10, addressFailuresMax: 50, trustedProxies: [] },
    });
  });

  it('warn of a cookie in clear text', () => {
    const warned = (env: Record<string, string>): number =>
      load(env).warnings.filter((warning) => warning.startsWith('SESSION_COOKIE_SECURE=false')).length;
    expect([warned({}), warned({ SESSION_COOKIE_SECURE: 'false' })]).toEqual([0, 1]);
  });

  it('name proxies by addresses and ranges', () => {
    const proxies = '10.0.0.0/8, 127.0.0.1,fd00::/8 ,::1';
    expect(load({ ADMIN_TRUSTED_PROXIES: proxies }).access.trustedProxies).toEqual([
      ...['10.0.0.0/8', '127.0.0.1', 'fd00::/8', '::1'],
    ]);
  });

  it.each([
    ['SESSION_IDLE_MINUTES', { SESSION_IDLE_MINUTES: '120', SESSION_HOURS_MAX: '1' }],
    ['SESSION_IDLE_MINUTES', { SESSION_IDLE_MINUTES: '0' }],
    ['SESSION_HOURS_MAX', { SESSION_HOURS_MAX: '1000' }],
    ['SESSION_COOKIE_SECURE', { SESSION_COOKIE_SECURE: 'no' }],
    ['LOGIN_FAILURES_MAX', { LOGIN_FAILURES_MAX: '0' }],
    ['LOGIN_ADDRESS_FAILURES_MAX', { LOGIN_FAILURES_MAX: '20', LOGIN_ADDRESS_FAILURES_MAX: '19' }],
    ['LOGIN_LOCK_MINUTES', { LOGIN_LOCK_MINUTES: '0' }],
    ['ADMIN_TRUSTED_PROXIES', { ADMIN_TRUSTED_PROXIES: 'proxy.example' }],
    ['ADMIN_TRUSTED_PROXIES', { ADMIN_TRUSTED_PROXIES: '0.0.0.0/0' }],
    ['ADMIN_TRUSTED_PROXIES', { ADMIN_TRUSTED_PROXIES: '10.0.0.0/33' }],
  ])('that are wrong name %s: %j', (key, env) => {
    expect(() => load(env as Record<string, string>)).toThrow(`  - ${key}: `);
  });
});

import { describe, expect, it } from 'vitest';
import { readGuardServers, type GuardServerSettings } from './guard-servers.js';

function read(settings: GuardServerSettings) {
  const faults: string[] = [];
  return { servers: readGuardServers(settings, faults), faults };
}

const faultsOf = (settings: GuardServerSettings): string[] => read(settings).faults;

describe('the servers of the guard', () => {
  it('are some of a cluster, with one account for all', () => {
    const { servers } = read({ REDIS_CLUSTER: 'rediss://app:p%40ss@one,[::1]:7001,10.0.0.3:7002' });
    const account = { tls: true, username: 'app', password: 'p@ss', db: 0 };
    expect(servers).toEqual({
      kind: 'cluster',
      seeds: [
        { host: 'one', port: 6379, ...account },
        { host: '::1', port: 7001, ...account },
        { host: '10.0.0.3', port: 7002, ...account },
      ],
    });
  });

  it('are a master that Sentinels know by name, each with its own account', () => {
    const { servers, faults } = read({
      REDIS_SENTINELS: 'redis://:watch@s1,s2:5000',
      REDIS_URL: 'rediss://app:secret@my_master/3',
    });
    expect(faults).toEqual([]);
    expect(servers).toEqual({
      kind: 'sentinel',
      sentinels: [
        { host: 's1', port: 26379, tls: false, password: 'watch', db: 0 },
        { host: 's2', port: 5000, tls: false, password: 'watch', db: 0 },
      ],
      masterName: 'my_master',
      master: { tls: true, username: 'app', password: 'secret', db: 3 },
    });
  });

  it.each<[string, GuardServerSettings, RegExp]>([
    [
      'a cluster beside a server',
      { REDIS_CLUSTER: 'redis://a', REDIS_URL: 'redis://b' },
      /^REDIS_CLUSTER: stands alone/,
    ],
    ['a cluster beside Sentinels', { REDIS_CLUSTER: 'redis://a', REDIS_SENTINELS: 'redis://b' }, /stands alone/],
    ['a database of a cluster', { REDIS_CLUSTER: 'redis://secret-host:7000/1' }, /^REDIS_CLUSTER: must be/],
    ['an empty name in a list', { REDIS_CLUSTER: 'redis://secret-host,,b' }, /^REDIS_CLUSTER: must be/],
    ['options', { REDIS_CLUSTER: 'redis://secret-host?maxRedirections=16' }, /^REDIS_CLUSTER: must be/],
    ['no scheme', { REDIS_CLUSTER: 'secret-host:7000,b:7001' }, /^REDIS_CLUSTER: must be/],
    ['33 hosts', { REDIS_CLUSTER: `redis://${Array(33).fill('secret-host').join()}` }, /^REDIS_CLUSTER: must be/],
    ['Sentinels without a master', { REDIS_SENTINELS: 'redis://secret-host' }, /^REDIS_URL: .*master-name/],
    [
      'a master with a port',
      { REDIS_SENTINELS: 'redis://secret-host', REDIS_URL: 'redis://mymaster:6379' },
      /^REDIS_URL: .*without a port/,
    ],
    [
      'a database of Sentinels',
      { REDIS_SENTINELS: 'redis://secret-host/1', REDIS_URL: 'redis://mymaster' },
      /^REDIS_SENTINELS: must be/,
    ],
  ])('stop the start with %s', (_, settings, fault) => {
    const faults = faultsOf(settings);
    expect(faults).toEqual([expect.stringMatching(fault)]);
    expect(faults.join()).not.toContain('secret-host');
  });
});

describe('certificates', () => {
  const url = { REDIS_URL: 'rediss://redis' };

  it.each<[string, GuardServerSettings, RegExp]>([
    ['a text that is none', { ...url, REDIS_TLS_CA: 'secret-text' }, /^REDIS_TLS_CA: must be certificates/],
    ['one without its key', { ...url, REDIS_TLS_CERT: 'secret-text' }, /belong together/],
    ['a key alone', { ...url, REDIS_TLS_KEY: 'secret-text' }, /belong together/],
    ['a pair that is none', { ...url, REDIS_TLS_CERT: 'secret-text', REDIS_TLS_KEY: 'x' }, /must be a certificate/],
  ])('stop the start when they are %s', (_, settings, fault) => {
    const faults = faultsOf(settings);
    expect(faults).toEqual([expect.stringMatching(fault)]);
    expect(faults.join()).not.toContain('secret-text');
  });

  it('are for TLS only', () => {
    expect(faultsOf({ REDIS_URL: 'redis://redis', REDIS_TLS_CA: 'x' })).toContainEqual(
      expect.stringMatching(/rediss:\/\/ addresses only/),
    );
  });
});

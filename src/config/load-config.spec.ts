import { describe, expect, it } from 'vitest';
import { ConfigError, type Config } from './config.js';
import { loadConfig, loadDatabaseConfig, type ConfigSources } from './load-config.js';

const KEY = 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C';
const APP = { token: 'abc', encodingAESKey: KEY, receiveId: 'ww1' };

function sourcesOf(apps: unknown): Omit<ConfigSources, 'env'> {
  return {
    readText: (path) => {
      if (path === 'apps') return typeof apps === 'string' ? apps : JSON.stringify(apps);
      if (path === 'database-url') return 'mysql://u:a-secret@db:3307/wecom?tls=true\n';
      if (path === 'redis-url') return 'redis://:a-secret@redis:6380/2\n';
      if (path === 'secret') return 'a-token-from-a-file\n';
      throw new Error('ENOENT');
    },
    hostname: 'host',
    pid: 1,
    demoApps: () => ({ text: JSON.stringify({ demo: APP }), path: 'data/demo.json' }),
    adminTokenPath: (dataDir) => `${dataDir}/admin-token`,
    adminToken: () => 'made-once',
  };
}

function load(env: Record<string, string>, apps: unknown = { self: APP }): Config {
  return loadConfig({ ...sourcesOf(apps), env: { WECOM_APPS_FILE: 'apps', ...env } });
}

function faults(env: Record<string, string>, apps?: unknown): readonly string[] {
  try {
    load(env, apps);
  } catch (error) {
    if (error instanceof ConfigError) return error.faults;
    throw error;
  }
  return [];
}

describe('settings', () => {
  it('have safe defaults and a demo app when no apps file is named', () => {
    const config = load({ WECOM_APPS_FILE: '' });
    expect(config).toMatchObject({ role: 'all', port: 3000, host: '127.0.0.1', adminToken: 'made-once', isDemo: true });
    expect(config.retryDelaysMs).toEqual([1_000, 10_000, 60_000]);
  });

  it('listen on all addresses once real apps are configured', () => {
    expect(load({})).toMatchObject({ host: '0.0.0.0', isDemo: false });
  });

  it('are all reported together, by name', () => {
    const found = faults({ PORT: '70000', ROLE: 'boss', STORE: 'oracle', RETRY_DELAYS: 'soon' });
    expect(found.map((fault) => fault.split(':')[0])).toEqual(['ROLE', 'PORT', 'STORE', 'RETRY_DELAYS']);
  });

  it.each([
    ['DLQ_TOPIC', { DLQ_TOPIC: 'wecom.events' }],
    ['DLQ_GROUP', { DLQ_GROUP: 'wecom.workers' }],
    ['LEASE_MAX_LIFE_MS', { LEASE_TTL_MS: '60000', LEASE_MAX_LIFE_MS: '60000' }],
    ['SUCCESS_TTL', { SUCCESS_TTL: '60' }],
    ['ADMIN_PORT', { PORT: '4000', ADMIN_PORT: '4000' }],
    ['PORT', { PORT: 'abc' }],
    ['ROLE', { ROLE: 'gateway' }],
    ['EVENTS_KEPT_DAYS', { EVENTS_KEPT_DAYS: '13' }],
    ['EVENTS_KEPT_DAYS', { EVENTS_KEPT_DAYS: 'soon' }],
    ['HISTORY_KEPT_DAYS', { HISTORY_KEPT_DAYS: '-1' }],
    ['ADMIN_TOKEN_FILE', { ADMIN_TOKEN_FILE: 'nowhere' }],
  ])('refuse a wrong relation or value of %s', (name, env) => {
    expect(faults(env as unknown as Record<string, string>).some((fault) => fault.startsWith(name))).toBe(true);
  });

  it('may come from files, whose last line break is not part of a secret', () => {
    expect(load({ ADMIN_TOKEN_FILE: 'secret' }).adminToken).toBe('a-token-from-a-file');
  });
});

describe('the role', () => {
  const admin = { ROLE: 'admin', WECOM_APPS_FILE: '' };

  it('ask a gateway for no database, whatever it shares with workers', () => {
    const shared = { STORE: 'mysql', DATABASE_POOL_MAX: '2' };
    expect(faults({ ROLE: 'gateway', ...shared }).filter((fault) => fault.startsWith('DATABASE'))).toEqual([]);
    expect(faults({ ROLE: 'worker', ...shared }).filter((fault) => fault.startsWith('DATABASE'))).toHaveLength(2);
  });

  it('is refused while its queue can be read by no other process, and the message says why', () => {
    for (const ROLE of ['gateway', 'worker']) {
      expect(faults({ ROLE })).toEqual([expect.stringMatching(/^ROLE: .*TRANSPORT=sqlite/)]);
    }
  });

  it('asks an admin for no apps, and hints at a store that serves one process', () => {
    const config = load(admin);
    expect(config).toMatchObject({ role: 'admin', isDemo: false, adminToken: 'made-once' });
    expect(config.apps.size).toBe(0);
    expect(config.warnings).toEqual([expect.stringContaining('STORE=sqlite')]);
    expect(load({ ...admin, GUARD: 'redis', REDIS_URL: 'redis://redis' }).guard.engine).toBe('redis');
  });

  it('reads no credentials that it does not need', () => {
    expect(load({ ...admin, WECOM_APPS_FILE: 'nowhere' }).apps.size).toBe(0);
  });

  it('lets PORT be the same as ADMIN_PORT where it takes no callbacks', () => {
    expect(load({ ...admin, PORT: '4000', ADMIN_PORT: '4000' }).adminPort).toBe(4_000);
  });
});

describe('how long rows are kept', () => {
  it('is read from numbers of days, an empty one being the least that is safe', () => {
    const dayMs = 86_400_000;
    expect(load({}).kept).toMatchObject({ eventsMs: 14 * dayMs, historyMs: 14 * dayMs });
    const env = { TRANSPORT_RETENTION_DAYS: '3', EVENTS_KEPT_DAYS: '10', HISTORY_KEPT_DAYS: '1', AUDIT_KEPT_DAYS: '0' };
    expect(load(env).kept).toMatchObject({ eventsMs: 10 * dayMs, historyMs: dayMs, auditMs: null });
  });
});

describe('the guard', () => {
  const redis = { GUARD: 'redis', REDIS_URL: 'redis://redis' };

  it('is embedded unless another one is named', () => {
    expect(load({}).guard).toEqual({ engine: 'embedded' });
    expect(load({ REDIS_URL: 'redis://redis' }).guard).toEqual({ engine: 'embedded' });
  });

  it('runs on Redis when asked to, its address being a secret that may come from a file', () => {
    const { guard } = load({ GUARD: 'redis', REDIS_URL_FILE: 'redis-url' });
    expect(guard).toEqual({
      engine: 'redis',
      servers: { kind: 'single', address: { host: 'redis', port: 6380, tls: false, password: 'a-secret', db: 2 } },
    });
  });

  it('needs an address, and says so without repeating a wrong one', () => {
    expect(faults({ GUARD: 'redis' })).toEqual(['REDIS_URL: must be set with GUARD=redis']);
    const [fault, ...others] = faults({ ...redis, REDIS_URL: 'http://a-secret@redis' });
    expect(others).toEqual([]);
    expect(fault).toMatch(/^REDIS_URL: must be redis:/);
    expect(fault).not.toContain('a-secret');
  });

  it('stops the start under a name that is not there', () => {
    expect(faults({ GUARD: 'memcached' })[0]).toMatch(/^GUARD: /);
  });

  it('lets no demo app be made once it is a real engine', () => {
    expect(faults({ ...redis, WECOM_APPS_FILE: '' })).toEqual([
      expect.stringMatching(/^WECOM_APPS_FILE: .*GUARD=redis/),
    ]);
  });
});

describe('ops-03: the apps file', () => {
  const aes = (encodingAESKey: string): unknown => ({ self: { ...APP, encodingAESKey } });

  it.each([
    ['31 characters', aes('A'.repeat(31))],
    ['42 characters', aes('A'.repeat(42))],
    ['44 characters', aes('A'.repeat(44))],
    ['an equals sign', aes(`${KEY}=`)],
    ['quotes', aes(`"${KEY}"`)],
  ])('names encodingAESKey and the rule, not the value: %s', (_, apps) => {
    const [fault] = faults({}, apps);
    expect(fault).toContain('self: encodingAESKey');
    expect(fault).not.toContain('AAAA');
    expect(fault).not.toContain(KEY);
  });

  it.each([
    ['token', { self: { ...APP, token: '' } }],
    ['receiveId', { self: { token: 'abc', encodingAESKey: KEY } }],
    ['next', { self: { ...APP, next: { token: 'abc', encodingAESKey: 'short' } } }],
    ['names no app', {}],
    ['neither JSON nor YAML', '{ : ['],
    ['the name', { 'a/b': APP }],
  ])('names what is wrong: %s', (named, apps) => {
    expect(faults({}, apps).join('\n')).toContain(named);
  });

  it('cuts a line break at the end of a pasted key, and says so', () => {
    const config = load({}, aes(`${KEY}\n`));
    expect(config.apps.get('self')?.credentials[0]?.aesKey).toHaveLength(32);
    expect(config.warnings.join()).toContain('encodingAESKey');
  });

  it('takes YAML, an empty receive id, several of them, and a next pair', () => {
    const yaml = `bot:\n  token: abc\n  encodingAESKey: ${KEY}\n  receiveId: ""\n  alsoReceiveIds: ["ww2"]\n  kind: third-party\n  next: { token: def, encodingAESKey: ${KEY} }\n`;
    const app = load({}, yaml).apps.get('bot');
    expect(app).toMatchObject({ receiveIds: ['', 'ww2'], deadlineMs: 1_000 });
    expect(app?.credentials.map(({ token }) => token)).toEqual(['abc', 'def']);
  });
});

describe('the store', () => {
  const MYSQL = { STORE: 'mysql', DATABASE_URL: 'mysql://u:a-secret@db/wecom' };

  it('is the embedded one unless told otherwise', () => {
    expect(load({}).store).toEqual({ engine: 'sqlite' });
  });

  it('takes its address from a file as well', () => {
    const address = { host: 'db', port: 3307, tls: true, username: 'u', password: 'a-secret', database: 'wecom' };
    const { store } = load({ STORE: 'mariadb', DATABASE_URL_FILE: 'database-url', DATABASE_POOL_MAX: '20' });
    expect(store).toEqual({ engine: 'mariadb', address, poolMax: 20, timeoutMs: 10_000 });
  });

  it.each([
    ['no address', { STORE: 'mysql' }, 'DATABASE_URL'],
    ['an address that is none', { STORE: 'mysql', DATABASE_URL: 'db:a-secret' }, 'DATABASE_URL'],
    ['an address without its engine', { DATABASE_URL: MYSQL.DATABASE_URL }, 'DATABASE_URL'],
    ['the demo app', { ...MYSQL, WECOM_APPS_FILE: '' }, 'WECOM_APPS_FILE'],
    ['fewer connections than lanes need', { ...MYSQL, WORKER_LANES: '9' }, 'DATABASE_POOL_MAX'],
  ])('is refused with %s, and the fault names no secret', (_, env, key) => {
    const found = faults(env);
    expect(found).toEqual([expect.stringMatching(`^${key}:`)]);
    expect(found.join()).not.toContain('a-secret');
  });

  it('can be read alone, without apps, for migrations', () => {
    const sources = { ...sourcesOf({ self: APP }), env: { ...MYSQL, WECOM_APPS_FILE: '' } };
    expect(loadDatabaseConfig(sources)).toMatchObject({ store: { engine: 'mysql' }, dataDir: './data' });
  });
});

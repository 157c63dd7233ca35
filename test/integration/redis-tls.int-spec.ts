import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { readGuardServers, type GuardServers, type GuardServerSettings } from '../../src/config/guard-servers.js';
import type { IdempotencyStore } from '../../src/idempotency/idempotency-store.js';
import { CertificateMaker, type Certificate } from '../support/certificate-maker.js';
import { openGuard } from '../support/redis-guard.js';
import { describeWithRedis, RedisServer } from '../support/redis-server.js';
import { until } from '../support/until.js';

const LONG_MS = 3_600_000;

describeWithRedis('the guard and TLS', () => {
  const maker = new CertificateMaker();
  const other = new CertificateMaker();
  const client = maker.sign('client', 'DNS:gateway');
  const stores: IdempotencyStore[] = [];
  /** Answers to 127.0.0.1 and wants a certificate of its clients. */
  let right: RedisServer;
  /** Its certificate is for another host. */
  let misnamed: RedisServer;
  /** Signed by an authority that nobody here trusts. */
  let foreign: RedisServer;

  const start = (certificate: Certificate, isAsking: boolean, ca = maker.ca) =>
    RedisServer.start({
      tls: {
        ca: ca.cert,
        args: [
          ...['--tls-cert-file', certificate.certPath, '--tls-key-file', certificate.keyPath],
          ...['--tls-ca-cert-file', maker.ca.certPath, '--tls-auth-clients', isAsking ? 'yes' : 'no'],
        ],
        client: { cert: client.cert, key: client.key },
      },
    });

  beforeAll(async () => {
    right = await start(maker.sign('right', 'IP:127.0.0.1,DNS:localhost'), true);
    foreign = await start(other.sign('foreign', 'IP:127.0.0.1,DNS:localhost'), false, other.ca);
    misnamed = await start(maker.sign('misnamed', 'IP:127.0.0.1,DNS:redis.corp'), false);
  });

  afterEach(() => Promise.all(stores.splice(0).map((store) => store.close())));

  afterAll(async () => {
    await Promise.all([right, misnamed, foreign].map((server) => server?.stop()));
    maker.remove();
    other.remove();
  });

  /** As the settings name it, so that they are tried as well. */
  async function open(settings: GuardServerSettings, openLimitMs = 5_000) {
    const faults: string[] = [];
    const servers = readGuardServers(settings, faults);
    expect(faults).toEqual([]);
    const opened = await openGuard(servers as GuardServers, { openLimitMs });
    stores.push(opened.store);
    return opened;
  }

  const at = (server: RedisServer, host = '127.0.0.1') => ({
    REDIS_URL: `rediss://${host}:${server.address.port}`,
    REDIS_TLS_CA: maker.ca.cert,
  });
  const shown = { REDIS_TLS_CERT: client.cert, REDIS_TLS_KEY: client.key };

  it.each(['127.0.0.1', 'localhost'])('reaches a server that shows and wants a certificate, at %s', async (host) => {
    const { store } = await open({ ...at(right, host), ...shown });
    expect(store.trouble()).toBeNull();
    expect(await store.claim(`k-${host}`, 'a', LONG_MS)).toBe('claimed');
  });

  it.each<[string, () => GuardServerSettings, RegExp]>([
    ['an authority that it is not told to trust', () => at(foreign), /certificate is not trusted \([A-Z_]+\)$/],
    ['no authority that Node knows', () => ({ REDIS_URL: at(foreign).REDIS_URL }), /certificate is not trusted/],
    ['a name that is not asked for', () => at(misnamed, 'localhost'), /is for another host \(ERR_TLS_CERT_ALTNAME/],
  ])('refuses a server with a certificate of %s, and says so', async (_, settings, reason) => {
    const { store, lines } = await open(settings(), 400);
    await until(() => reason.test(store.trouble()?.reason ?? ''));
    expect(lines.map(({ event }) => event)).toEqual(['guard.lost']);
    expect(JSON.stringify(lines)).not.toContain(String(foreign.address.port));
    await expect(store.claim('k', 'a', LONG_MS)).rejects.toThrow('did not answer');
  });

  it('says that the server wants a certificate of its own', async () => {
    const { store } = await open(at(right), 400);
    await until(() => /wants a certificate that it did not get/.test(store.trouble()?.reason ?? ''));
  });

  it('does not speak without TLS to a server that wants it', async () => {
    const { store } = await open({ REDIS_URL: `redis://127.0.0.1:${right.address.port}` }, 400);
    expect(store.trouble()).not.toBeNull();
    await expect(store.claim('k', 'a', LONG_MS)).rejects.toThrow('did not answer');
  });
});

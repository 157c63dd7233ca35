import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { Env } from '../../src/config/env.js';
import { rocketMqName } from '../../src/transport/rocketmq/rocketmq-names.js';
import { loadDeployed, loadDeployedDatabase, unknownSettings, type DeployedEnv } from '../support/deployed-settings.js';

interface Service {
  readonly image: string;
  readonly profiles?: readonly string[];
  readonly restart?: string;
  readonly environment?: DeployedEnv;
  readonly secrets?: readonly string[];
  readonly volumes?: readonly string[];
  readonly tmpfs?: readonly string[];
  readonly networks?: readonly string[];
  readonly ports?: readonly string[];
  readonly stop_grace_period?: string;
  readonly healthcheck?: { readonly test?: readonly string[]; readonly disable?: boolean };
  readonly depends_on?: Readonly<Record<string, { condition: string; required?: boolean }>>;
  readonly deploy?: { readonly replicas?: number; readonly resources?: { readonly limits?: { memory?: string } } };
}

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const text = read('docker-compose.yml');
const { services, volumes, secrets } = parse(text, { merge: true }) as {
  services: Record<string, Service>;
  volumes: Record<string, null>;
  secrets: Record<string, { file: string }>;
};
const defaults = new Env();
const all = Object.entries(services);
const own = all.filter(([, { image }]) => image.startsWith('wecom-callback-gateway:'));
const inRole = (role: string) => own.filter(([, { environment }]) => environment?.['ROLE'] === role);

/** As compose fills it in. */
function environmentOf(service: Service, transport: string): DeployedEnv {
  const entries = Object.entries(service.environment ?? {});
  const filled = entries.map(([key, value]) => [key, String(value).replace(/\$\{TRANSPORT:\?[^}]*\}/, transport)]);
  return Object.fromEntries(filled) as DeployedEnv;
}

const mounted =
  ({ secrets: names = [] }: Service) =>
  (path: string): boolean =>
    names.some((name) => path === `/run/secrets/${name}`);

describe('docker-compose.yml', () => {
  it('has two gateways, two workers, an admin and a migration', () => {
    expect(inRole('gateway').length).toBe(2);
    expect(inRole('worker').map(([, { deploy }]) => deploy?.replicas)).toEqual([2]);
    expect(inRole('admin').length).toBe(1);
    expect(own.length).toBe(5);
  });

  it.each(own)('sets only what the service reads: %s', (_, service) => {
    expect(Object.keys(service.environment ?? {})).not.toEqual([]);
    expect(unknownSettings(service.environment ?? {})).toEqual([]);
  });

  it.each(['kafka', 'rocketmq'])('sets what each role needs, with %s as the queue', (transport) => {
    const loaded = own
      .filter(([name]) => name !== 'migrate')
      .map(([name, service]) => [name, loadDeployed(environmentOf(service, transport), mounted(service))] as const);

    expect(loaded.map(([, { warnings }]) => warnings)).toEqual(loaded.map(() => []));
    for (const [, { role, transport: engine }] of loaded) {
      if (role !== 'admin') expect(engine.engine).toBe(transport);
    }
    const migrate = services['migrate']!;
    expect(loadDeployedDatabase(environmentOf(migrate, transport), mounted(migrate)).store.engine).toBe('mysql');
  });

  it('gives no role a secret that it does not read', () => {
    const needed = own.map(([name, service]) => {
      const values = Object.values(service.environment ?? {}).map(String);
      return [name, (service.secrets ?? []).filter((secret) => !values.includes(`/run/secrets/${secret}`))];
    });

    expect(needed).toEqual(own.map(([name]) => [name, []]));
  });

  it('keeps the spool of each gateway on a volume of its own', () => {
    const data = inRole('gateway').map(([, service]) => service.volumes?.find((volume) => volume.endsWith(':/data')));

    expect(data).toEqual(['gateway-1:/data', 'gateway-2:/data']);
    expect(Object.keys(volumes)).toEqual(expect.arrayContaining(['gateway-1', 'gateway-2']));
    expect(read('Dockerfile')).toContain('DATA_DIR=/data');
    // A folder serves one process, so those that are many may not share one.
    for (const [, service] of [...inRole('worker'), ...inRole('admin')]) {
      expect(service.volumes ?? []).toEqual([]);
      expect(service.tmpfs?.[0]).toMatch(/^\/data:/);
    }
  });

  it('declares every volume and secret that is used, and uses those that it declares', () => {
    const isNamed = (volume: string): boolean => !volume.startsWith('.');
    const used = all.flatMap(([, service]) => (service.volumes ?? []).filter(isNamed));
    const usedSecrets = all.flatMap(([, service]) => service.secrets ?? []);

    expect(new Set(used.map((volume) => volume.split(':')[0]))).toEqual(new Set(Object.keys(volumes)));
    expect(new Set(usedSecrets)).toEqual(new Set(Object.keys(secrets)));
    const made = read('deploy/compose/make-secrets.sh');
    for (const [name, { file }] of Object.entries(secrets)) {
      expect(file).toBe(`./secrets/${name}`);
      expect(made).toContain(name);
    }
  });

  it('mounts only files that are there', () => {
    const files = all.flatMap(([, service]) => (service.volumes ?? []).filter((volume) => volume.startsWith('.')));

    expect(files.length).toBeGreaterThan(2);
    expect(files.map((volume) => volume.split(':')[0]!).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('lets work in hand end before it kills', () => {
    for (const [, { stop_grace_period: grace = '10s' }] of own) {
      // Beyond the limit for work in hand: closing a long poll of RocketMQ takes up to 8.5 s more.
      expect(Number.parseInt(grace) * 1_000).toBeGreaterThan(defaults.SHUTDOWN_LIMIT_MS + 10_000);
    }
  });

  it('takes every image by a version, from no named registry', () => {
    const images = all.map(([, { image }]) => image);

    expect(images.filter((image) => !/^[a-z0-9-]+(?:\/[a-z0-9-]+)?:\d[\w.-]*$/.test(image))).toEqual([]);
  });

  it('limits the memory of every service, and checks the health of each that stays', () => {
    const unlimited = all.filter(([, { deploy }]) => deploy?.resources?.limits?.memory === undefined);
    const isOurs = (image: string): boolean => image.startsWith('wecom-callback-gateway:');
    const unchecked = all.filter(
      ([, { restart, healthcheck, image }]) => restart !== 'no' && !isOurs(image) && healthcheck?.test === undefined,
    );

    expect(unlimited.map(([name]) => name)).toEqual([]);
    expect(unchecked.map(([name]) => name)).toEqual([]);
    // The service's own check is the image's: a route that exists, on the port that each role has.
    expect(read('Dockerfile')).toContain('ADMIN_PORT || 3001}/health/live`');
    expect(read('src/observability/health.controller.ts')).toContain(`@Get('live')`);
    expect(defaults.ADMIN_PORT).toBe(3001);
  });

  it('waits only for services that are there, and for those of a profile only where it is on', () => {
    for (const [name, { depends_on: others = {}, profiles }] of all) {
      for (const [other, { required = true }] of Object.entries(others)) {
        expect(services[other], `${name} waits for ${other}`).toBeDefined();
        if (required) expect(services[other]!.profiles ?? profiles, `${name} waits for ${other}`).toEqual(profiles);
      }
    }
  });

  it('publishes callbacks, and the admin port on loopback only', () => {
    const published = all.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));

    expect(published).toEqual(['balancer 8080:8080', 'admin 127.0.0.1:3001:3001']);
    const proxy = read('deploy/compose/haproxy.cfg');
    for (const [name] of inRole('gateway')) expect(proxy).toContain(`${name}:${defaults.PORT}`);
    expect(proxy).toContain('uri /health/live');
  });

  it('makes the topics and groups of RocketMQ by the names that the service asks for', () => {
    const script = read('deploy/compose/rocketmq/create-topics.sh');
    const name = (setting: string): string => rocketMqName('', setting);

    for (const topic of [defaults.EVENTS_TOPIC, defaults.DLQ_TOPIC])
      expect(script).toMatch(new RegExp(`-t ${name(topic)} .*message\\.type=FIFO`));
    for (const group of [defaults.EVENTS_GROUP, defaults.DLQ_GROUP])
      expect(script).toMatch(new RegExp(`-g ${name(group)} -o true -r 1\\d{6,}`));
    const hours = Number(/fileReservedTime=(\d+)/.exec(read('deploy/compose/rocketmq/broker.conf'))?.[1]);
    expect(hours).toBeGreaterThanOrEqual(defaults.TRANSPORT_RETENTION_DAYS * 24);
  });

  it('holds no password', () => {
    expect(text).not.toMatch(/PASSWORD: (?!\$\{)/);
    expect(text).not.toMatch(/:\/\/[^:\s]+:[^$@]+@/);
    expect(read('.gitignore')).toContain('/secrets/');
  });
});

describe('Dockerfile', () => {
  const copied = [...read('Dockerfile').matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
    paths.split(' '),
  );

  it('copies only what its context has', () => {
    const ignore = read('.dockerignore').split('\n');

    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((path) => !ignore.includes(`!${path.split('/')[0]}`))).toEqual([]);
    expect(copied.filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
  });

  it('brings the client of RocketMQ that the lock file pins', () => {
    const { devDependencies } = JSON.parse(read('package.json')) as { devDependencies: Record<string, string> };

    expect(read('Dockerfile')).toContain(`rocketmq-client-nodejs=${devDependencies['rocketmq-client-nodejs']}`);
  });

  it('links what its last stage installs', () => {
    const script = read('scripts/install-kafka-client.mjs');
    const libraries = /const APT = '([^']+)'/.exec(script)?.[1]?.split(' ') ?? [];

    expect(libraries.length).toBeGreaterThan(5);
    expect(libraries.filter((name) => !read('Dockerfile').includes(name))).toEqual([]);
  });
});

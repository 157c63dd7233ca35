import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { loadDeployed, loadDeployedDatabase, unknownSettings, type DeployedEnv } from '../support/deployed-settings.js';

const ROOT = resolve(import.meta.dirname, '../..');
const FOLDER = join(ROOT, 'deploy/kubernetes');

type Labels = Readonly<Record<string, string>>;
interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
  readonly periodSeconds: number;
  readonly failureThreshold: number;
}
interface Container {
  readonly name: string;
  readonly image: string;
  readonly command?: readonly string[];
  readonly envFrom?: readonly { configMapRef: { name: string } }[];
  readonly env: readonly { name: string; value?: string; valueFrom?: object }[];
  readonly ports?: readonly { name: string; containerPort: number }[];
  readonly volumeMounts: readonly { name: string; mountPath: string }[];
  readonly startupProbe?: Probe;
  readonly livenessProbe?: Probe;
  readonly readinessProbe?: Probe;
  readonly resources: { readonly requests?: object; readonly limits?: { memory?: string } };
  readonly securityContext: object;
}
interface Volume {
  readonly name: string;
  readonly emptyDir?: object;
  readonly secret?: { secretName: string; items?: readonly { key: string; path: string }[] };
}
interface PodSpec {
  readonly containers: readonly Container[];
  readonly volumes?: readonly Volume[];
  readonly terminationGracePeriodSeconds?: number;
  readonly automountServiceAccountToken: boolean;
  readonly securityContext: object;
  readonly topologySpreadConstraints?: readonly { labelSelector: { matchLabels: Labels } }[];
}
interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string };
  readonly data?: DeployedEnv;
  readonly stringData?: Labels;
  readonly spec: {
    readonly replicas?: number;
    readonly selector?: Labels & { readonly matchLabels?: Labels };
    readonly podSelector?: { readonly matchLabels: Labels };
    readonly ports?: readonly { targetPort: string }[];
    readonly serviceName?: string;
    readonly scaleTargetRef?: { kind: string; name: string };
    readonly persistentVolumeClaimRetentionPolicy?: object;
    readonly volumeClaimTemplates?: readonly { metadata: { name: string } }[];
    readonly template: { readonly metadata: { readonly labels: Labels }; readonly spec: PodSpec };
  };
}

const read = (name: string): string => readFileSync(join(FOLDER, name), 'utf8');
const names = readdirSync(FOLDER).filter((name) => name !== 'kustomization.yaml');
const documents = names.flatMap((name) => parseAllDocuments(read(name)));
const manifests = documents.map((document) => document.toJS() as Manifest);
const ofKind = (...kinds: string[]) => manifests.filter(({ kind }) => kinds.includes(kind));
const workloads = ofKind('StatefulSet', 'Deployment', 'Job').map(({ metadata, spec, kind }) => {
  const pod = spec.template.spec;
  return { name: metadata.name, kind, spec, pod, container: pod.containers[0]!, labels: spec.template.metadata.labels };
});
const services = workloads.filter(({ kind }) => kind !== 'Job');
const settings = ofKind('ConfigMap')[0]!.data!;
const secrets = new Map(ofKind('Secret').map(({ metadata, stringData }) => [metadata.name, stringData!]));

function environmentOf({ envFrom, env }: Container): DeployedEnv {
  const own = env.map(({ name, value }) => [name, value ?? 'from-the-pod'] as const);
  return { ...(envFrom ? settings : {}), ...(Object.fromEntries(own) as DeployedEnv) };
}

/** Whether a path is a key of a secret that the container mounts. */
function mounted({ container, pod }: (typeof workloads)[number]): (path: string) => boolean {
  const paths = container.volumeMounts.flatMap(({ name, mountPath }) => {
    const secret = pod.volumes?.find((volume) => volume.name === name)?.secret;
    if (!secret) return [];
    const keys = Object.keys(secrets.get(secret.secretName) ?? {});
    const shown = secret.items ? secret.items.filter(({ key }) => keys.includes(key)).map(({ path }) => path) : keys;
    return shown.map((path) => `${mountPath}/${path}`);
  });
  return (path) => paths.includes(path);
}

const selects = (selector: Labels, labels: Labels): boolean =>
  Object.entries(selector).every(([key, value]) => labels[key] === value);

describe('deploy/kubernetes', () => {
  it('parses, without anchors: not every tool resolves them', () => {
    expect(documents.flatMap(({ errors }) => errors)).toEqual([]);
    expect(manifests.length).toBeGreaterThan(15);
    expect(names.filter((name) => /: [&*][a-z]|<<:/.test(read(name)))).toEqual([]);
  });

  it('applies every file but the examples', () => {
    const { resources } = parse(read('kustomization.yaml')) as { resources: string[] };

    expect([...resources].sort()).toEqual(names.filter((name) => !name.includes('.example.')).sort());
  });

  it('runs one and the same image everywhere, and names its version once', () => {
    const { images } = parse(read('kustomization.yaml')) as { images: { name: string; newTag: string }[] };
    const { version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };

    expect(new Set(workloads.map(({ container }) => container.image))).toEqual(new Set(['wecom-callback-gateway']));
    expect(images).toEqual([expect.objectContaining({ name: 'wecom-callback-gateway', newTag: version })]);
  });

  it('has a workload of each role', () => {
    const roles = services.map(({ kind, container }) => `${kind} ${environmentOf(container)['ROLE']}`);

    expect(roles.sort()).toEqual(['Deployment admin', 'Deployment worker', 'StatefulSet gateway']);
  });

  it.each(workloads)('sets only what the service reads: $name', ({ container }) => {
    expect(unknownSettings(environmentOf(container))).toEqual([]);
  });

  it.each(services)('sets what the role needs, from files that are mounted: $name', (workload) => {
    const { role, warnings } = loadDeployed(environmentOf(workload.container), mounted(workload));

    expect(workload.name).toBe(`wecom-${role}`);
    expect(warnings).toEqual([]);
  });

  it('sets what the migration needs', () => {
    const migrate = workloads.find(({ kind }) => kind === 'Job')!;

    expect(migrate.container.command).toEqual(['node', 'dist/src/migrate.js']);
    expect(loadDeployedDatabase(environmentOf(migrate.container), mounted(migrate)).store.engine).toBe('mysql');
  });

  it('shows a container only the secrets that its settings name', () => {
    for (const workload of workloads) {
      const files = Object.values(environmentOf(workload.container));
      for (const { mountPath } of workload.container.volumeMounts.filter(({ mountPath: path }) => path !== '/data'))
        expect(files.some((file) => file.startsWith(`${mountPath}/`))).toBe(true);
    }
    const gateway = services.find(({ name }) => name === 'wecom-gateway')!;
    expect(JSON.stringify(gateway.pod)).not.toContain('database');
  });

  it('keeps the spool of each gateway on a volume of its own, and others on one that goes', () => {
    for (const { spec, pod, container } of services) {
      const data = container.volumeMounts.find(({ mountPath }) => mountPath === environmentOf(container)['DATA_DIR']);
      const isClaimed = spec.volumeClaimTemplates?.some(({ metadata }) => metadata.name === data?.name) ?? false;
      expect(isClaimed).toBe(environmentOf(container)['ROLE'] === 'gateway');
      if (!isClaimed) expect(pod.volumes?.find(({ name }) => name === data?.name)?.emptyDir).toBeDefined();
      else expect(spec.persistentVolumeClaimRetentionPolicy).toEqual({ whenScaled: 'Retain', whenDeleted: 'Retain' });
    }
  });

  it('asks for health where it is told, on a port that the container has', () => {
    const routes = readFileSync(join(ROOT, 'src/observability/health.controller.ts'), 'utf8');
    for (const { container } of services) {
      const ports = new Map(container.ports!.map(({ name, containerPort }) => [name, containerPort]));
      for (const probe of [container.startupProbe!, container.livenessProbe!, container.readinessProbe!]) {
        const { path, port } = probe.httpGet;
        expect(routes).toContain(`@Get('${path.replace('/health/', '')}')`);
        expect(ports.get(port)).toBe(port === 'admin' ? 3001 : 3000);
      }
      // A restart mends nothing but the process itself.
      expect(container.livenessProbe!.httpGet.path).toBe('/health/live');
      const { periodSeconds, failureThreshold } = container.startupProbe!;
      // The start of a worker waits 30 s for the database.
      expect(periodSeconds * failureThreshold).toBeGreaterThanOrEqual(60);
    }
    expect(settings['ADMIN_HOST']).toBe('0.0.0.0');
  });

  it('selects pods that are there', () => {
    const all = workloads.map(({ labels }) => labels);
    const selectors = manifests.flatMap(({ kind, spec }) => {
      if (kind === 'Service') return [spec.selector!];
      return [spec?.selector?.matchLabels, spec?.podSelector?.matchLabels].filter((labels) => labels !== undefined);
    });

    expect(selectors.length).toBeGreaterThan(10);
    expect(selectors.filter((selector) => !all.some((labels) => selects(selector, labels)))).toEqual([]);
    for (const { spec, labels, pod } of services) {
      expect(selects(spec.selector!.matchLabels!, labels)).toBe(true);
      for (const { labelSelector } of pod.topologySpreadConstraints ?? [])
        expect(selects(labelSelector.matchLabels, labels)).toBe(true);
      // Otherwise it would take the pods of another role for its own.
      expect(all.filter((other) => selects(spec.selector!.matchLabels!, other)).length).toBe(1);
    }
    const portNames = services.flatMap(({ container }) => container.ports!.map(({ name }) => name));
    for (const { spec } of ofKind('Service'))
      for (const { targetPort } of spec.ports!) expect(portNames).toContain(targetPort);
    const headless = ofKind('StatefulSet')[0]!.spec.serviceName;
    expect(ofKind('Service').map(({ metadata }) => metadata.name)).toContain(headless);
    const { kind, name } = ofKind('HorizontalPodAutoscaler')[0]!.spec.scaleTargetRef!;
    expect(workloads.map((workload) => `${workload.kind} ${workload.name}`)).toContain(`${kind} ${name}`);
  });

  it('lets work in hand end before it kills', () => {
    for (const { pod, container } of services) {
      const { shutdownLimitMs } = loadDeployed(environmentOf(container), () => true);
      // Before it the proxies are told, and after it connections are closed.
      expect(pod.terminationGracePeriodSeconds! * 1_000).toBeGreaterThan(shutdownLimitMs + 15_000);
    }
  });

  it('runs nobody as root, and writes nothing but the data', () => {
    for (const { pod, container } of workloads) {
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } });
      expect(pod.automountServiceAccountToken).toBe(false);
      expect(container.securityContext).toEqual({
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      });
      expect(container.resources.limits?.memory).toBeDefined();
    }
  });

  it('lets a gateway reach no database', () => {
    const policy = (name: string) => JSON.stringify(ofKind('NetworkPolicy').find((one) => one.metadata.name === name));

    expect(policy('wecom-worker')).toContain('3306');
    expect(policy('wecom-gateway')).not.toContain('3306');
  });

  it('has a budget for disruptions of what is many', () => {
    const many = services.filter(({ spec }) => spec.replicas! > 1).map(({ name }) => name);

    expect(many.length).toBe(2);
    expect(ofKind('PodDisruptionBudget').map(({ metadata }) => metadata.name)).toEqual(many);
  });

  it('holds no password', () => {
    for (const [name, values] of secrets)
      for (const [key, value] of Object.entries(values)) expect(value, `${name} ${key}`).toContain('CHANGE-ME');
  });
});

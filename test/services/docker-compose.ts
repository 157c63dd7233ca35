import { existsSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import type { ServiceName } from './command.js';
import { runCommand } from './run-command.js';
import type { Service } from './service.js';

const PROJECT = 'wecom-services';
const ANSWER_LIMIT_MS = 5_000;
/** The first start pulls the image. */
const UP_LIMIT_MS = 600_000;

/** What a container is told beyond its image: where it listens inside, and the accounts that the settings name. */
type Container = (image: string, port: number) => Readonly<Record<string, unknown>>;
const published = (port: number, inside: number): { ports: string[] } => ({ ports: [`127.0.0.1:${port}:${inside}`] });
const CONTAINERS: Partial<Record<ServiceName, Container>> = {
  redis: (image, port) => ({
    ...{ image, ...published(port, 6_379), volumes: ['redis:/data'] },
    command: ['redis-server', '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'],
  }),
  mysql: (image, port) => ({
    ...{ image, ...published(port, 3_306), volumes: ['mysql:/var/lib/mysql'] },
    environment: {
      ...{ MYSQL_DATABASE: 'wecom', MYSQL_USER: 'wecom', MYSQL_PASSWORD: 'wecom' },
      MYSQL_RANDOM_ROOT_PASSWORD: 'yes',
    },
  }),
  kafka: (image, port) => ({
    ...{ image, ...published(port, 9_092), volumes: ['kafka:/var/lib/kafka/data'] },
    environment: {
      ...{ KAFKA_NODE_ID: '1', KAFKA_PROCESS_ROLES: 'broker,controller' },
      KAFKA_CONTROLLER_QUORUM_VOTERS: '1@localhost:9093',
      KAFKA_LISTENERS: 'PLAINTEXT://:9092,CONTROLLER://:9093',
      // Clients come from outside and are sent to the published port; the one broker has no other to talk to.
      KAFKA_ADVERTISED_LISTENERS: `PLAINTEXT://127.0.0.1:${port}`,
      KAFKA_LISTENER_SECURITY_PROTOCOL_MAP: 'PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT',
      KAFKA_CONTROLLER_LISTENER_NAMES: 'CONTROLLER',
      KAFKA_LOG_DIRS: '/var/lib/kafka/data',
      KAFKA_AUTO_CREATE_TOPICS_ENABLE: 'false',
      KAFKA_OFFSETS_TOPIC_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_REPLICATION_FACTOR: '1',
      KAFKA_TRANSACTION_STATE_LOG_MIN_ISR: '1',
    },
  }),
};

/** The image of docker-compose.yml for a service, so that development runs what production does; null: not there. */
export function imageOf(composeText: string, name: ServiceName): string | null {
  const { services = {} } = (parse(composeText, { merge: true }) ?? {}) as {
    services?: Record<string, { image?: string } | null>;
  };
  return services[name]?.image ?? services[`${name}-1`]?.image ?? null;
}

/** A compose file of one service for development: on loopback, without secrets, with data in a volume. */
export function developmentFile(name: ServiceName, image: string, port: number): string | null {
  const container = CONTAINERS[name];
  if (container === undefined) return null;
  return stringify({
    name: `${PROJECT}-${name}`,
    services: { [name]: container(image, port) },
    volumes: { [name]: {} },
  });
}

/** Whether Compose is there and an engine behind it; one that hangs counts as none. */
export async function dockerAnswers(): Promise<boolean> {
  for (const args of [
    ['compose', 'version'],
    ['info', '--format', '{{.ServerVersion}}'],
  ]) {
    const isGood = await runCommand({ command: 'docker', args }, ANSWER_LIMIT_MS).then(
      () => true,
      () => false,
    );
    if (!isGood) return false;
  }
  return true;
}

/** One service as a container, of a compose file in its folder. */
export class DockerService {
  constructor(
    private readonly folder: string,
    private readonly name: ServiceName,
  ) {}

  /** Whether it was started in this way, and not taken down since. */
  get isChosen(): boolean {
    return existsSync(this.mark);
  }

  async start({ ports }: Service, image: string): Promise<void> {
    await mkdir(this.folder, { recursive: true });
    await writeFile(this.file, developmentFile(this.name, image, ports[0]!) ?? '');
    await writeFile(this.mark, image);
    await this.compose(UP_LIMIT_MS, 'up', '--detach', this.name);
  }

  async isRunning(): Promise<boolean> {
    const ids = await this.compose(ANSWER_LIMIT_MS, 'ps', '--status', 'running', '--quiet', this.name).catch(() => '');
    return ids.trim() !== '';
  }

  async logTail(): Promise<string> {
    return this.compose(ANSWER_LIMIT_MS, 'logs', '--tail', '40', this.name).catch(() => '');
  }

  async end(withData: boolean): Promise<void> {
    // The file stays for a later removal of the volume.
    if (existsSync(this.file)) await this.compose(UP_LIMIT_MS, 'down', ...(withData ? ['--volumes'] : []));
    await rm(this.mark, { force: true });
  }

  private compose(limitMs: number, ...args: string[]): Promise<string> {
    return runCommand({ command: 'docker', args: ['compose', '--file', this.file, ...args] }, limitMs);
  }

  private get mark(): string {
    return join(this.folder, 'container');
  }

  private get file(): string {
    return join(this.folder, 'compose.yml');
  }
}

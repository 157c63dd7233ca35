import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, openSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadKafkaClient } from '../../src/transport/kafka/load-kafka-client.js';
import { kafkaJars } from './kafka-jars.js';
import { until } from './until.js';

const READY_LIMIT_MS = 60_000;
const CLUSTER_ID = '4L6g3nShT-eMCtK--X86sw';
const JVM = ['-Xms128m', '-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData'];

const isThere = (command: string, ...args: string[]): boolean => spawnSync(command, args).status === 0;

async function missing(): Promise<string | null> {
  if (!isThere('java', '-version')) return 'no JDK: apt-get install openjdk-17-jre-headless';
  if (!isThere('mvn', '-v')) return 'no Maven: apt-get install maven';
  const client = await loadKafkaClient().catch((error: unknown) => error);
  return client instanceof Error ? client.message : null;
}

/** A suite that needs a real Kafka: skipped without one, loudly, and failed where CI should have brought it. */
export async function describeWithKafka(name: string, suite: () => void): Promise<void> {
  const hint = await missing();
  if (hint === null) {
    describe(name, suite);
  } else if (process.env['CI']) {
    describe(name, () => it('finds a Kafka', () => expect.fail(hint)));
  } else {
    console.warn(`SKIPPED: "${name}" cannot run: ${hint}`);
    describe.skip(name, suite);
  }
}

export interface KafkaServerOptions {
  /** Brokers, each also a controller. */
  readonly brokers?: number;
  /** Properties beyond the usual ones. `{folder}` stands for the folder of the data. */
  readonly properties?: Readonly<Record<string, string>>;
  /** SASL_PLAINTEXT, SSL or SASL_SSL for clients; brokers talk in plain text among themselves. */
  readonly clientProtocol?: string;
  /** Run before the first start, with the folder: makes certificates, for one. Returns arguments for `format`. */
  readonly prepare?: (folder: string) => readonly string[];
}

/** One broker. Each method acts on its process alone. */
export class KafkaBroker {
  private child: ChildProcess | null = null;

  constructor(
    readonly folder: string,
    readonly port: number,
    private readonly plainPort: number,
    private readonly jars: string,
  ) {}

  get address(): string {
    return `127.0.0.1:${this.port}`;
  }

  /** Starts the process, also again after `kill`: on the same port and data. */
  start(): void {
    const log = openSync(join(this.folder, 'broker.log'), 'a');
    const args = [...JVM, `-Dlog4j2.configurationFile=${join(this.folder, 'log4j2.yaml')}`, '-cp', `${this.jars}/*`];
    const options = { stdio: ['ignore', log, log] as ['ignore', number, number], cwd: this.folder };
    const child = spawn('java', [...args, 'kafka.Kafka', join(this.folder, 'server.properties')], options);
    closeSync(log);
    this.child = child;
    // A test run that is cut off must leave no server behind.
    const killIt = (): void => void child.kill('SIGKILL');
    process.once('exit', killIt);
    child.once('exit', () => process.removeListener('exit', killIt));
  }

  /** Stops answering, as a machine that hangs does; its sockets still accept. */
  pause(): void {
    this.child?.kill('SIGSTOP');
  }

  resume(): void {
    this.child?.kill('SIGCONT');
  }

  async kill(): Promise<void> {
    const { child } = this;
    this.child = null;
    if (child === null || child.exitCode !== null || child.signalCode !== null) return;
    const exit = once(child, 'exit');
    child.kill('SIGKILL');
    await exit;
  }

  async accepts(): Promise<void> {
    await until(
      () => {
        if (typeof this.child?.exitCode === 'number') throw new Error(`the broker ended: ${this.lastLines()}`);
        return canConnect(this.plainPort);
      },
      READY_LIMIT_MS,
      `a broker on port ${this.plainPort} accepts`,
    ).catch((error: unknown) => {
      throw new Error(`${String(error)}\n${this.lastLines()}`);
    });
  }

  lastLines(): string {
    return readFileSync(join(this.folder, 'broker.log'), 'utf8').slice(-3_000);
  }
}

/** A real Kafka of one broker or more on free loopback ports, with a folder of its own. */
export class KafkaServer {
  private constructor(
    readonly brokers: readonly KafkaBroker[],
    private readonly plainPorts: readonly number[],
    readonly folder: string,
  ) {}

  static async start(options: KafkaServerOptions = {}): Promise<KafkaServer> {
    const jars = await kafkaJars();
    const folder = await mkdtemp(join(tmpdir(), 'wecom-kafka-'));
    const count = options.brokers ?? 1;
    // Client, inner and controller port of each.
    const ports = await freePorts(3 * count);
    const formatArgs = options.prepare?.(folder) ?? [];
    const brokers: KafkaBroker[] = [];
    for (let index = 0; index < count; index += 1) {
      const home = join(folder, String(index + 1));
      await mkdir(home);
      const properties = Object.entries(propertiesOf(index, ports, home, folder, options));
      await writeFile(join(home, 'server.properties'), properties.map(([key, value]) => `${key}=${value}`).join('\n'));
      await writeFile(join(home, 'log4j2.yaml'), LOG_SETTINGS);
      format(jars, home, formatArgs);
      brokers.push(new KafkaBroker(home, ports[3 * index]!, ports[3 * index + 1]!, jars));
    }
    const server = new KafkaServer(
      brokers,
      ports.filter((_, index) => index % 3 === 1),
      folder,
    );
    for (const broker of brokers) broker.start();
    await server.ready();
    return server;
  }

  get addresses(): string[] {
    return this.brokers.map(({ address }) => address);
  }

  /** Of the listener without a login. */
  get plainAddresses(): string[] {
    return this.plainPorts.map((port) => `127.0.0.1:${port}`);
  }

  get broker(): KafkaBroker {
    return this.brokers[0]!;
  }

  /** A broker and a controller answer, as a client sees it. */
  async ready(): Promise<void> {
    for (const broker of this.brokers) await broker.accepts();
    const { KafkaConsumer } = await loadKafkaClient();
    const servers = this.plainAddresses.join(',');
    const asked = async (): Promise<boolean> => {
      const client = new KafkaConsumer({ 'bootstrap.servers': servers, 'group.id': 'readiness' });
      const isUp = await new Promise<boolean>((resolve) =>
        client.connect({ timeout: 2_000 }, (error, metadata) =>
          resolve(!error && metadata.brokers.length === this.brokers.length),
        ),
      );
      await new Promise<void>((resolve) => {
        client.disconnect(() => resolve());
        setTimeout(resolve, 500);
      });
      return isUp;
    };
    await until(asked, READY_LIMIT_MS, 'Kafka answers');
  }

  async stop(): Promise<void> {
    await Promise.all(this.brokers.map((broker) => broker.kill()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

const LOG_SETTINGS = `Configuration:
  Appenders: { Console: { name: out, PatternLayout: { pattern: "%d %p %m%n" } } }
  Loggers: { Root: { level: warn, AppenderRef: [{ ref: out }] } }
`;

function propertiesOf(
  index: number,
  ports: readonly number[],
  home: string,
  folder: string,
  { brokers = 1, clientProtocol = 'PLAINTEXT', properties = {} }: KafkaServerOptions,
): Record<string, string> {
  const [client, inner] = [ports[3 * index]!, ports[3 * index + 1]!];
  const voters = Array.from({ length: brokers }, (_, at) => `${at + 1}@127.0.0.1:${ports[3 * at + 2]}`);
  const replicas = String(Math.min(3, brokers));
  return {
    'process.roles': 'broker,controller',
    'node.id': String(index + 1),
    'controller.quorum.voters': voters.join(','),
    listeners: `CLIENT://127.0.0.1:${client},INNER://127.0.0.1:${inner},CONTROLLER://127.0.0.1:${ports[3 * index + 2]}`,
    'advertised.listeners': `CLIENT://127.0.0.1:${client},INNER://127.0.0.1:${inner}`,
    'listener.security.protocol.map': `CLIENT:${clientProtocol},INNER:PLAINTEXT,CONTROLLER:PLAINTEXT`,
    'controller.listener.names': 'CONTROLLER',
    'inter.broker.listener.name': 'INNER',
    'log.dirs': join(home, 'data'),
    'auto.create.topics.enable': 'false',
    'offsets.topic.num.partitions': '4',
    'offsets.topic.replication.factor': replicas,
    'transaction.state.log.num.partitions': '4',
    'transaction.state.log.replication.factor': replicas,
    'transaction.state.log.min.isr': '1',
    'share.coordinator.state.topic.num.partitions': '4',
    'share.coordinator.state.topic.replication.factor': replicas,
    'share.coordinator.state.topic.min.isr': '1',
    'group.initial.rebalance.delay.ms': '0',
    'group.min.session.timeout.ms': '1000',
    'broker.session.timeout.ms': '3000',
    'broker.heartbeat.interval.ms': '500',
    'log.cleaner.dedupe.buffer.size': '16777216',
    'num.network.threads': '2',
    'num.io.threads': '4',
    ...Object.fromEntries(
      Object.entries(properties).map(([key, value]) => [key, value.replaceAll('{folder}', folder)]),
    ),
  };
}

function format(jars: string, home: string, args: readonly string[]): void {
  if (existsSync(join(home, 'data', 'meta.properties'))) return;
  const settings = ['-c', join(home, 'server.properties'), '-t', CLUSTER_ID, ...args];
  const jvm = ['-Xmx128m', '-XX:TieredStopAtLevel=1', `-Dlog4j2.configurationFile=${join(home, 'log4j2.yaml')}`];
  const { status, stdout, stderr } = spawnSync(
    'java',
    [...jvm, '-cp', `${jars}/*`, 'kafka.tools.StorageTool', 'format', ...settings],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`formatting failed: ${stdout} ${stderr}`);
}

function canConnect(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => {
      socket.destroy();
      resolve(true);
    });
    socket.once('error', () => resolve(false));
  });
}

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { loadKafkaClient } from '../../src/transport/kafka/load-kafka-client.js';
import { configureKafka, formatKafka, kafkaBroker, kafkaJars } from '../services/kafka-engine.js';
import { kafkaBrokerCount } from '../services/kafka-metadata.js';
import type { Launch } from '../services/launch.js';
import { accepts } from '../services/ports.js';
import { TcpProxy } from './tcp-proxy.js';
import { until } from './until.js';

// Five seconds on an idle machine; three brokers took two minutes on a busy one.
const READY_LIMIT_MS = 300_000;

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
  /** With a TCP proxy before each broker, which clients of the service pass: see `wires`. */
  readonly wired?: boolean;
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
    readonly wire: TcpProxy | null,
  ) {}

  get address(): string {
    return `127.0.0.1:${this.wire?.port ?? this.port}`;
  }

  /** Starts the process, also again after `kill`: on the same port and data. */
  start(): void {
    const log = openSync(join(this.folder, 'broker.log'), 'a');
    const { command, args } = kafkaBroker(this.jars, this.folder);
    const child = spawn(command, args, { stdio: ['ignore', log, log], cwd: this.folder });
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
        return accepts(this.plainPort);
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
    const wires = options.wired ? await Promise.all(clientPorts(ports).map((port) => TcpProxy.before(port))) : [];
    const advertisedPorts = wires.map(({ port }) => port);
    const brokers: KafkaBroker[] = [];
    for (let index = 0; index < count; index += 1) {
      const home = await configureKafka({ ...options, brokers: count, ports, folder, advertisedPorts }, index);
      const format = formatKafka(jars, home, formatArgs);
      if (format !== null) runOnce(format);
      brokers.push(new KafkaBroker(home, ports[3 * index]!, ports[3 * index + 1]!, jars, wires[index] ?? null));
    }
    const server = new KafkaServer(
      brokers,
      ports.filter((_, index) => index % 3 === 1),
      folder,
    );
    for (const broker of brokers) broker.start();
    try {
      await server.ready();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  get wires(): TcpProxy[] {
    return this.brokers.flatMap(({ wire }) => wire ?? []);
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
    const seen = async (): Promise<boolean> => {
      const counts = await Promise.all(this.plainPorts.map(kafkaBrokerCount));
      return counts.every((count) => count === this.brokers.length);
    };
    await until(seen, READY_LIMIT_MS, 'Kafka answers');
  }

  async stop(): Promise<void> {
    await Promise.all(this.brokers.map((broker) => broker.kill()));
    await Promise.all(this.wires.map((wire) => wire.close()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

function runOnce({ command, args }: Launch): void {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`formatting failed: ${stdout} ${stderr}`);
}

const clientPorts = (ports: readonly number[]): number[] => ports.filter((_, index) => index % 3 === 0);

async function freePorts(count: number): Promise<number[]> {
  const servers = Array.from({ length: count }, () => createServer().listen(0, '127.0.0.1'));
  await Promise.all(servers.map((server) => once(server, 'listening')));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => once(server.close(), 'close')));
  return ports;
}

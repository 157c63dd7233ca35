import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { within } from '../../src/runtime/within.js';
import { fencedClients } from '../../src/transport/rocketmq/fenced-clients.js';
import { loadClientLibrary } from '../../src/transport/rocketmq/load-client-library.js';
import { until } from './until.js';

const VERSION = '5.5.0';
const JARS = join(homedir(), '.cache', 'wecom-callback-gateway', 'rocketmq', VERSION);
const COPY_JARS = 'org.apache.maven.plugins:maven-dependency-plugin:3.8.1:copy-dependencies';
const QUEUES = 16;
// Ten seconds on an idle machine; two minutes were measured on a busy one.
const READY_LIMIT_MS = 300_000;
/** For the hooks that start one. */
export const ROCKETMQ_START_LIMIT_MS = 360_000;
const missing = [
  ...(isThere('java', '-version') ? [] : ['java']),
  ...(existsSync(JARS) || isThere('mvn', '-v') ? [] : ['mvn']),
];

function isThere(program: string, versionFlag: string): boolean {
  return spawnSync(program, [versionFlag]).status === 0;
}

/** A suite that needs a real RocketMQ: skipped without Java, loudly, and failed where CI should have brought it. */
export function describeWithRocketMq(name: string, suite: () => void): void {
  if (missing.length === 0) {
    describe(name, suite);
    return;
  }
  const hint = `no ${missing.join(' and ')} on this machine, so "${name}" cannot run: apt-get install openjdk-17-jre-headless maven`;
  if (process.env['CI']) {
    describe(name, () => it('finds Java and Maven', () => expect.fail(hint)));
    return;
  }
  console.warn(`SKIPPED: ${hint}`);
  describe.skip(name, suite);
}

export interface TopicsAndGroups {
  readonly topics: readonly string[];
  readonly groups: readonly string[];
  /** Deliveries before the broker gives a message up; far above what an outage takes. */
  readonly retryMaxTimes?: number;
  /** Groups that are made without order, as a mistake would. */
  readonly unorderedGroups?: readonly string[];
  /** Makes clients sign their requests: the proxy refuses everybody else. */
  readonly superUser?: { readonly accessKey: string; readonly secretKey: string };
}

interface Ports {
  readonly namesrv: number;
  readonly broker: number;
  readonly grpc: number;
  readonly remoting: number;
}

/**
 * A real name server, and a real broker with its proxy in one process, on free loopback ports and a folder of their own.
 * Topics and groups are written before the first start: `mqadmin` takes five seconds a call.
 */
export class RocketMqServer {
  private namesrv: ChildProcess | null = null;
  private broker: ChildProcess | null = null;

  private constructor(
    readonly folder: string,
    private readonly ports: Ports,
    private readonly wanted: TopicsAndGroups,
  ) {}

  static async start(wanted: TopicsAndGroups): Promise<RocketMqServer> {
    await fetchJars();
    const folder = await mkdtemp(join(tmpdir(), 'wecom-rocketmq-'));
    const server = new RocketMqServer(folder, await freePorts(), wanted);
    await server.configure();
    try {
      server.namesrv = await server.launch(
        'namesrv',
        ['-Xms48m', '-Xmx96m', '-XX:+UseSerialGC'],
        ['org.apache.rocketmq.namesrv.NamesrvStartup', ...['-c', join(folder, 'conf', 'namesrv.conf')]],
      );
      await until(() => accepts(server.ports.namesrv), READY_LIMIT_MS, 'the name server accepts');
      await server.run();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  get endpoints(): string {
    return `127.0.0.1:${this.ports.grpc}`;
  }

  get isRunning(): boolean {
    return this.broker !== null;
  }

  /** Starts broker and proxy, also again after `kill`: on the same ports and data. */
  async run(): Promise<void> {
    const memory = ['-Xms192m', '-Xmx384m', '-XX:MaxDirectMemorySize=256m', '-XX:+UseG1GC', '-XX:TieredStopAtLevel=1'];
    this.broker = await this.launch('broker', memory, [
      'org.apache.rocketmq.proxy.ProxyStartup',
      ...['-pm', 'local', '-n', `127.0.0.1:${this.ports.namesrv}`],
      ...['-bc', join(this.folder, 'conf', 'broker.conf'), '-pc', join(this.folder, 'conf', 'rmq-proxy.json')],
    ]);
    // It accepts before it knows its own topics.
    await until(() => this.knowsItsTopics(), READY_LIMIT_MS, 'a client can start');
  }

  /** Stops answering, as a machine that hangs does; its sockets still accept. */
  pause(): void {
    this.broker?.kill('SIGSTOP');
  }

  resume(): void {
    this.broker?.kill('SIGCONT');
  }

  /** Broker and proxy end at once; what they had acknowledged is on the disk. */
  async kill(): Promise<void> {
    const { broker } = this;
    this.broker = null;
    await end(broker);
  }

  async stop(): Promise<void> {
    const { namesrv } = this;
    this.namesrv = null;
    await Promise.all([this.kill(), end(namesrv)]);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** One call of the broker's own administration tool; five to eight seconds. */
  async admin(...args: string[]): Promise<string> {
    const home = ['-Xmx96m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', ...this.jvmHome()];
    const { stdout } = await promisify(execFile)('java', [
      ...home,
      ...['-cp', `${JARS}/*`, 'org.apache.rocketmq.tools.command.MQAdminStartup'],
      ...args,
      ...['-n', `127.0.0.1:${this.ports.namesrv}`],
    ]);
    return stdout;
  }

  private async knowsItsTopics(): Promise<boolean> {
    const { topics, superUser } = this.wanted;
    if (!(await accepts(this.ports.grpc))) return false;
    const clients = fencedClients(await loadClientLibrary(), new SystemClock(), {
      endpoints: this.endpoints,
      credentials: superUser ?? null,
      requestTimeoutMs: 3_000,
      debug: () => undefined,
    });
    const client = clients.producer(topics[0]!);
    const isUp = await within(new SystemClock(), 10_000, 'a start', client.start()).then(
      () => true,
      () => false,
    );
    await client.stop();
    return isUp;
  }

  private async launch(name: string, memory: string[], main: string[]): Promise<ChildProcess> {
    const log = createWriteStream(join(this.folder, `${name}.out`), { flags: 'a' });
    await once(log, 'open');
    const child = spawn('java', [...this.jvmHome(), ...memory, '-cp', `${JARS}/*`, ...main], {
      env: { ...process.env, ROCKETMQ_HOME: this.folder },
      stdio: ['ignore', log, log],
    });
    log.close();
    // A test run that is cut off must leave no server behind.
    const killIt = (): void => void child.kill('SIGKILL');
    process.once('exit', killIt);
    child.once('exit', () => process.removeListener('exit', killIt));
    return child;
  }

  private jvmHome(): string[] {
    return [`-Duser.home=${this.folder}`, `-Drocketmq.log.root=${join(this.folder, 'logs')}`, '-XX:-UsePerfData'];
  }

  private async configure(): Promise<void> {
    const { topics, groups, retryMaxTimes = 1_000_000_000, unorderedGroups = [], superUser } = this.wanted;
    const { namesrv, broker, grpc, remoting } = this.ports;
    const [conf, store] = [join(this.folder, 'conf'), join(this.folder, 'store')];
    await mkdir(join(store, 'config'), { recursive: true });
    await mkdir(conf);
    await writeFile(join(conf, 'namesrv.conf'), `listenPort=${namesrv}\nkvConfigPath=${join(conf, 'kv.json')}\n`);
    const settings = {
      ...{ brokerClusterName: 'DefaultCluster', brokerName: 'broker-a', brokerId: 0, brokerIP1: '127.0.0.1' },
      ...{ namesrvAddr: `127.0.0.1:${namesrv}`, listenPort: broker, haListenPort: broker + 1 },
      ...{ storePathRootDir: store, storePathCommitLog: join(store, 'commitlog') },
      ...{ brokerRole: 'ASYNC_MASTER', flushDiskType: 'SYNC_FLUSH' },
      ...{ autoCreateTopicEnable: false, autoCreateSubscriptionGroup: false, timerWheelEnable: true },
      ...{ mappedFileSizeCommitLog: 67_108_864, mappedFileSizeConsumeQueue: 600_000, diskMaxUsedSpaceRatio: 98 },
    };
    const lines = Object.entries(settings).map(([key, value]) => `${key}=${value}\n`);
    await writeFile(join(conf, 'broker.conf'), [...lines, ...aclLines(superUser)].join(''));
    const proxy = {
      ...{ rocketMQClusterName: 'DefaultCluster', namesrvAddr: `127.0.0.1:${namesrv}`, proxyMode: 'LOCAL' },
      ...{ grpcServerPort: grpc, remotingListenPort: remoting, localServeAddr: '127.0.0.1' },
      ...aclOfProxy(superUser),
    };
    await writeFile(join(conf, 'rmq-proxy.json'), JSON.stringify(proxy));
    const dataVersion = { counter: 1, stateVersion: 0, timestamp: 1 };
    const topicConfigTable = Object.fromEntries(topics.map((topic) => [topic, topicConfig(topic)]));
    await writeFile(join(store, 'config', 'topics.json'), JSON.stringify({ dataVersion, topicConfigTable }));
    const subscriptionGroupTable = Object.fromEntries([
      ...groups.map((group) => [group, groupConfig(group, true, retryMaxTimes)]),
      ...unorderedGroups.map((group) => [group, groupConfig(group, false, retryMaxTimes)]),
    ]);
    await writeFile(
      join(store, 'config', 'subscriptionGroup.json'),
      JSON.stringify({ dataVersion, subscriptionGroupTable }),
    );
  }
}

function aclLines(user: TopicsAndGroups['superUser']): string[] {
  if (user === undefined) return [];
  const first = JSON.stringify({ username: user.accessKey, password: user.secretKey });
  return [
    'authenticationEnabled=true\n',
    'authenticationProvider=org.apache.rocketmq.auth.authentication.provider.DefaultAuthenticationProvider\n',
    'authenticationMetadataProvider=org.apache.rocketmq.auth.authentication.provider.LocalAuthenticationMetadataProvider\n',
    `initAuthenticationUser=${first}\n`,
    `innerClientAuthenticationCredentials=${JSON.stringify(user)}\n`,
  ];
}

function aclOfProxy(user: TopicsAndGroups['superUser']): Record<string, unknown> {
  if (user === undefined) return {};
  return {
    authenticationEnabled: true,
    authenticationProvider: 'org.apache.rocketmq.auth.authentication.provider.DefaultAuthenticationProvider',
    authenticationMetadataProvider: 'org.apache.rocketmq.proxy.auth.ProxyAuthenticationMetadataProvider',
    innerClientAuthenticationCredentials: JSON.stringify(user),
  };
}

function topicConfig(topicName: string): Record<string, unknown> {
  const queues = { readQueueNums: QUEUES, writeQueueNums: QUEUES };
  const rest = { order: false, perm: 6, topicFilterType: 'SINGLE_TAG', topicSysFlag: 0 };
  return { topicName, attributes: { 'message.type': 'FIFO' }, ...queues, ...rest };
}

function groupConfig(groupName: string, inOrder: boolean, retryMaxTimes: number): Record<string, unknown> {
  return {
    groupName,
    ...{ attributes: {}, brokerId: 0, whichBrokerWhenConsumeSlowly: 1, groupSysFlag: 0, consumeTimeoutMinute: 15 },
    ...{ consumeEnable: true, consumeFromMinEnable: true, consumeBroadcastEnable: false },
    ...{ consumeMessageOrderly: inOrder, notifyConsumerIdsChangedEnable: true, retryMaxTimes, retryQueueNums: 1 },
    groupRetryPolicy: { type: 'EXPONENTIAL', exponentialRetryPolicy: { initial: 1_000, max: 10_000, multiplier: 2 } },
  };
}

/** 102 MB from Maven Central, once a machine. Another test process may be doing the same. */
async function fetchJars(): Promise<void> {
  if (existsSync(JARS)) return;
  await mkdir(join(JARS, '..'), { recursive: true });
  const scratch = await mkdtemp(`${JARS}-`);
  const artifacts = ['namesrv', 'broker', 'proxy', 'tools'].map(
    (name) =>
      `<dependency><groupId>org.apache.rocketmq</groupId><artifactId>rocketmq-${name}</artifactId><version>${VERSION}</version></dependency>`,
  );
  const self = '<modelVersion>4.0.0</modelVersion><groupId>x</groupId><artifactId>x</artifactId><version>1</version>';
  const pom = `<project>${self}<packaging>pom</packaging><dependencies>${artifacts.join('')}</dependencies></project>`;
  await writeFile(join(scratch, 'pom.xml'), pom);
  const lib = join(scratch, 'lib');
  await promisify(execFile)('mvn', [
    ...['-q', '-B', '-f', join(scratch, 'pom.xml'), COPY_JARS],
    ...['-DincludeScope=runtime', `-DoutputDirectory=${lib}`],
  ]);
  // Whoever came first has put the same files there.
  await rename(lib, JARS).catch((error: unknown) => {
    if (!existsSync(JARS)) throw error;
  });
  await rm(scratch, { recursive: true, force: true });
}

async function end(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

function accepts(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1');
    socket.once('connect', () => resolve(true)).once('error', () => resolve(false));
    socket.once('connect', () => socket.destroy());
  });
}

/** The broker takes the port two below its own and the one above for other purposes. */
async function freePorts(): Promise<Ports> {
  for (;;) {
    const base = 20_000 + 10 * Math.floor(Math.random() * 1_200);
    const numbers = [base, base + 2, base + 3, base + 4, base + 5, base + 6, base + 7];
    const held = await Promise.all(numbers.map(hold));
    await Promise.all(held.map(letGo));
    if (held.every((server) => server !== null)) {
      return { broker: base + 2, namesrv: base + 5, grpc: base + 6, remoting: base + 7 };
    }
  }
}

async function hold(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null)).listen(port, () => resolve(server));
  });
}

async function letGo(server: Server | null): Promise<void> {
  if (server !== null) await new Promise((resolve) => server.close(resolve));
}

/** What a test reads in a folder of the server, such as a log. */
export function readText(server: RocketMqServer, ...path: string[]): Promise<string> {
  return readFile(join(server.folder, ...path), 'utf8');
}

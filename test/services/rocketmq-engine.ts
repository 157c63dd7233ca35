import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { within } from '../../src/runtime/within.js';
import { fencedClients } from '../../src/transport/rocketmq/fenced-clients.js';
import { loadClientLibrary } from '../../src/transport/rocketmq/load-client-library.js';
import { cacheFolder } from './cache-folder.js';
import type { Launch } from './launch.js';
import { mavenJars } from './maven-jars.js';
import { accepts } from './ports.js';

const VERSION = '5.5.0';
const QUEUES = 16;
export const ROCKETMQ_JARS = cacheFolder('rocketmq', VERSION);

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

/** The broker takes the port two below its own and the one above for other purposes. */
export interface RocketMqPorts {
  readonly namesrv: number;
  readonly broker: number;
  readonly grpc: number;
  readonly remoting: number;
}

export interface RocketMqLayout {
  readonly folder: string;
  readonly ports: RocketMqPorts;
  readonly wanted: TopicsAndGroups;
}

/** 150 files, 102 MB. */
export function rocketMqJars(): Promise<string> {
  const names = ['namesrv', 'broker', 'proxy', 'tools'];
  return mavenJars(
    ROCKETMQ_JARS,
    names.map((name) => `org.apache.rocketmq:rocketmq-${name}:${VERSION}`),
  );
}

export function nameServer({ folder }: RocketMqLayout): Launch {
  const main = ['org.apache.rocketmq.namesrv.NamesrvStartup', '-c', join(folder, 'conf', 'namesrv.conf')];
  return javaIn(folder, ['-Xms48m', '-Xmx96m', '-XX:+UseSerialGC'], main);
}

/** Broker and proxy in one process. */
export function brokerAndProxy({ folder, ports }: RocketMqLayout): Launch {
  const memory = ['-Xms192m', '-Xmx384m', '-XX:MaxDirectMemorySize=256m', '-XX:+UseG1GC', '-XX:TieredStopAtLevel=1'];
  return javaIn(folder, memory, [
    'org.apache.rocketmq.proxy.ProxyStartup',
    ...['-pm', 'local', '-n', `127.0.0.1:${ports.namesrv}`],
    ...['-bc', join(folder, 'conf', 'broker.conf'), '-pc', join(folder, 'conf', 'rmq-proxy.json')],
  ]);
}

/** One call of the broker's own administration tool; five to eight seconds. */
export function adminTool({ folder, ports }: RocketMqLayout, args: readonly string[]): Launch {
  const memory = ['-Xmx96m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1'];
  const main = ['org.apache.rocketmq.tools.command.MQAdminStartup', ...args, '-n', `127.0.0.1:${ports.namesrv}`];
  return javaIn(folder, memory, main);
}

/** A client can start. The broker accepts before it knows its own topics. */
export async function rocketMqAnswers({ ports, wanted }: RocketMqLayout): Promise<boolean> {
  if (!(await accepts(ports.grpc))) return false;
  const clients = fencedClients(await loadClientLibrary(), new SystemClock(), {
    endpoints: `127.0.0.1:${ports.grpc}`,
    credentials: wanted.superUser ?? null,
    requestTimeoutMs: 3_000,
    debug: () => undefined,
  });
  const client = clients.producer(wanted.topics[0]!);
  const isUp = await within(new SystemClock(), 10_000, 'a start', client.start()).then(
    () => true,
    () => false,
  );
  await client.stop();
  return isUp;
}

function javaIn(folder: string, memory: readonly string[], main: readonly string[]): Launch {
  const home = [`-Duser.home=${folder}`, `-Drocketmq.log.root=${join(folder, 'logs')}`, '-XX:-UsePerfData'];
  return {
    command: 'java',
    args: [...home, ...memory, '-cp', `${ROCKETMQ_JARS}/*`, ...main],
    env: { ROCKETMQ_HOME: folder },
  };
}

/** Writes what the processes read, topics and groups included: `mqadmin` takes five seconds a call. */
export async function configureRocketMq({ folder, ports, wanted }: RocketMqLayout): Promise<void> {
  const { topics, groups, retryMaxTimes = 1_000_000_000, unorderedGroups = [], superUser } = wanted;
  const { namesrv, broker, grpc, remoting } = ports;
  const [conf, store] = [join(folder, 'conf'), join(folder, 'store')];
  await mkdir(join(store, 'config'), { recursive: true });
  await mkdir(conf, { recursive: true });
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
  await writeFirst(join(store, 'config', 'topics.json'), { dataVersion, topicConfigTable });
  const subscriptionGroupTable = Object.fromEntries([
    ...groups.map((group) => [group, groupConfig(group, true, retryMaxTimes)]),
    ...unorderedGroups.map((group) => [group, groupConfig(group, false, retryMaxTimes)]),
  ]);
  await writeFirst(join(store, 'config', 'subscriptionGroup.json'), { dataVersion, subscriptionGroupTable });
}

/** The broker owns these files from its first start on: what was added to them since stays. */
async function writeFirst(path: string, content: unknown): Promise<void> {
  if (!existsSync(path)) await writeFile(path, JSON.stringify(content));
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

import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.js';
import type { Launch } from './launch.js';
import { mavenJars } from './maven-jars.js';

export const KAFKA_VERSION = '4.4.0';
const CLUSTER_ID = '4L6g3nShT-eMCtK--X86sw';
const JVM = ['-Xms128m', '-Xmx384m', '-XX:+UseSerialGC', '-XX:TieredStopAtLevel=1', '-XX:-UsePerfData'];

/** Brokers of one cluster, each also a controller. */
export interface KafkaLayout {
  readonly brokers: number;
  /** Client, inner and controller port of each broker. Only the first may ask for more than plain text. */
  readonly ports: readonly number[];
  readonly folder: string;
  /** Of each broker, what clients are told in place of its client port: a proxy before it. */
  readonly advertisedPorts?: readonly number[];
  /** SASL_PLAINTEXT, SSL or SASL_SSL for clients; brokers talk in plain text among themselves. */
  readonly clientProtocol?: string;
  /** Properties beyond the usual ones. `{folder}` stands for the folder. */
  readonly properties?: Readonly<Record<string, string>>;
}

/** Folder of the broker's jars: 45 files, 45 MB. */
export function kafkaJars(): Promise<string> {
  return mavenJars(cacheFolder(`kafka-${KAFKA_VERSION}`), [
    `org.apache.kafka:kafka_2.13:${KAFKA_VERSION}`,
    'org.apache.logging.log4j:log4j-slf4j-impl:2.25.5',
  ]);
}

/** The same of the command line tools, which a broker does without. */
export function kafkaToolJars(): Promise<string> {
  return mavenJars(cacheFolder(`kafka-tools-${KAFKA_VERSION}`), [
    `org.apache.kafka:kafka-tools:${KAFKA_VERSION}`,
    'org.apache.logging.log4j:log4j-slf4j-impl:2.25.5',
  ]);
}

/** Writes what the broker of that index reads; returns its home. */
export async function configureKafka(layout: KafkaLayout, index: number): Promise<string> {
  const home = join(layout.folder, String(index + 1));
  await mkdir(home, { recursive: true });
  const lines = Object.entries(propertiesOf(layout, index, home)).map(([key, value]) => `${key}=${value}`);
  await writeFile(join(home, 'server.properties'), lines.join('\n'));
  await writeFile(join(home, 'log4j2.yaml'), LOG_SETTINGS);
  return home;
}

/** Formats the data folder; null when that was done before. Ends by itself. */
export function formatKafka(jars: string, home: string, args: readonly string[] = []): Launch | null {
  if (existsSync(join(home, 'data', 'meta.properties'))) return null;
  const settings = ['-c', join(home, 'server.properties'), '-t', CLUSTER_ID, ...args];
  const jvm = ['-Xmx128m', '-XX:TieredStopAtLevel=1', loggingOf(home)];
  return { command: 'java', args: [...jvm, '-cp', `${jars}/*`, 'kafka.tools.StorageTool', 'format', ...settings] };
}

export function kafkaBroker(jars: string, home: string): Launch {
  const args = [...JVM, loggingOf(home), '-cp', `${jars}/*`, 'kafka.Kafka', join(home, 'server.properties')];
  return { command: 'java', args };
}

function loggingOf(home: string): string {
  return `-Dlog4j2.configurationFile=${join(home, 'log4j2.yaml')}`;
}

const LOG_SETTINGS = `Configuration:
  Appenders: { Console: { name: out, PatternLayout: { pattern: "%d %p %m%n" } } }
  Loggers: { Root: { level: warn, AppenderRef: [{ ref: out }] } }
`;

function propertiesOf(layout: KafkaLayout, index: number, home: string): Record<string, string> {
  const { brokers, ports, folder, clientProtocol = 'PLAINTEXT', properties = {} } = layout;
  const [client, inner] = [ports[3 * index]!, ports[3 * index + 1]!];
  const advertised = layout.advertisedPorts?.[index] ?? client;
  const voters = Array.from({ length: brokers }, (_, at) => `${at + 1}@127.0.0.1:${ports[3 * at + 2]}`);
  const replicas = String(Math.min(3, brokers));
  return {
    'process.roles': 'broker,controller',
    'node.id': String(index + 1),
    'controller.quorum.voters': voters.join(','),
    listeners: `CLIENT://127.0.0.1:${client},INNER://127.0.0.1:${inner},CONTROLLER://127.0.0.1:${ports[3 * index + 2]}`,
    'advertised.listeners': `CLIENT://127.0.0.1:${advertised},INNER://127.0.0.1:${inner}`,
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

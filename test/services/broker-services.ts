import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { cacheFolder } from './cache-folder.js';
import { configureKafka, formatKafka, kafkaBroker, kafkaJars, KAFKA_VERSION } from './kafka-engine.js';
import { kafkaBrokerCount } from './kafka-metadata.js';
import {
  ROCKETMQ_JARS,
  brokerAndProxy,
  configureRocketMq,
  nameServer,
  rocketMqAnswers,
  rocketMqJars,
} from './rocketmq-engine.js';
import { runCommand } from './run-command.js';
import type { ServerPlan, Service } from './service.js';

const JAVA = { program: 'java', aptPackage: 'openjdk-17-jre-headless' };
const MAVEN = { program: 'mvn', aptPackage: 'maven' };
const PORTS_OF_A_BROKER = 3;

/** The gateway makes its topics by itself. */
export function kafkaService(brokers: number, folder: string, base: number): Service {
  const ports = Array.from({ length: brokers * PORTS_OF_A_BROKER }, (_, at) => base + at);
  const clients = ports.filter((_, at) => at % PORTS_OF_A_BROKER === 0);
  // A quorum cannot be widened by starting it with more voters.
  const data = join(folder, 'data', `of-${brokers}`);
  const hasJars = existsSync(cacheFolder(`kafka-${KAFKA_VERSION}`));
  return {
    ...{ name: 'kafka', layout: `${brokers} broker${brokers > 1 ? 's' : ''}`, folder, ports, readyLimitMs: 120_000 },
    needs: hasJars ? [JAVA] : [JAVA, MAVEN],
    fetched: hasJars ? null : `Kafka ${KAFKA_VERSION} from Maven Central (45 MB)`,
    settings: { TRANSPORT: 'kafka', KAFKA_BROKERS: clients.map((port) => `127.0.0.1:${port}`).join() },
    fetch: async () => void (await kafkaJars()),
    prepare: async () => {
      const jars = await kafkaJars();
      const plans: ServerPlan[] = [];
      for (let index = 0; index < brokers; index += 1) {
        const home = await configureKafka({ brokers, ports, folder: data }, index);
        const format = formatKafka(jars, home);
        if (format !== null) await runCommand(format);
        const own = ports.slice(PORTS_OF_A_BROKER * index, PORTS_OF_A_BROKER * (index + 1));
        plans.push({ name: `broker-${index + 1}`, ports: own, launch: kafkaBroker(jars, home) });
      }
      return plans;
    },
    isReady: async () => (await Promise.all(clients.map(kafkaBrokerCount))).every((count) => count === brokers),
    complete: () => Promise.resolve(),
  };
}

/** With the topics and groups of the gateway's defaults, which RocketMQ does not make by itself. */
export function rocketMqService(folder: string, base: number): Service {
  const ports = { grpc: base, remoting: base + 1, namesrv: base + 2, broker: base + 5 };
  const wanted = {
    topics: ['wecom-events', 'wecom-events-dlq'],
    groups: ['wecom-workers', 'wecom-dead-letters'],
  };
  const layout = { folder: join(folder, 'data'), ports, wanted };
  const hasJars = existsSync(ROCKETMQ_JARS);
  return {
    // Ten seconds on an idle machine; two minutes were measured on a busy one.
    ...{ name: 'rocketmq', layout: 'single', folder, readyLimitMs: 180_000 },
    needs: hasJars ? [JAVA] : [JAVA, MAVEN],
    fetched: hasJars ? null : 'RocketMQ 5.5.0 from Maven Central (102 MB)',
    // The broker has one port two below its own and one above for other purposes.
    ports: [ports.grpc, ports.remoting, ports.namesrv, ports.broker - 2, ports.broker, ports.broker + 1],
    settings: { TRANSPORT: 'rocketmq', ROCKETMQ_ENDPOINTS: `127.0.0.1:${ports.grpc}` },
    fetch: async () => void (await rocketMqJars()),
    prepare: async () => {
      await configureRocketMq(layout);
      return [
        { name: 'namesrv', ports: [ports.namesrv], launch: nameServer(layout) },
        { name: 'broker', ports: [ports.grpc, ports.remoting, ports.broker], launch: brokerAndProxy(layout) },
      ];
    },
    isReady: () => rocketMqAnswers(layout),
    complete: () => Promise.resolve(),
  };
}

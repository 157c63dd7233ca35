import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { KafkaConfig } from '../../src/config/kafka-config.js';
import type { KafkaClient } from '../../src/transport/kafka/kafka-client.js';
import type { KafkaTransport } from '../../src/transport/kafka/kafka-transport.js';
import { loadKafkaClient } from '../../src/transport/kafka/load-kafka-client.js';
import { testBroker } from '../contract/transport.kafka-harness.js';
import { codeBlocks } from '../readme/markdown.js';
import { kafkaToolJars } from '../services/kafka-engine.js';
import { describeWithKafka, KafkaServer } from '../support/kafka-server.js';
import { KafkaWorld } from '../support/kafka-world.js';
import { until } from '../support/until.js';

const [EVENTS, DLQ, WORKERS, DEAD] = ['wecom.events', 'wecom.events.dlq', 'wecom.workers', 'wecom.dead-letters'];
const PASSWORD = 'open-sesame';
const users = ['wecom-gateway', 'wecom-worker'].map((name) => `user_${name}="${PASSWORD}"`).join(' ');
const properties = {
  'listener.name.client.sasl.enabled.mechanisms': 'PLAIN',
  'listener.name.client.plain.sasl.jaas.config': `org.apache.kafka.common.security.plain.PlainLoginModule required ${users};`,
  'authorizer.class.name': 'org.apache.kafka.metadata.authorizer.StandardAuthorizer',
  // Brokers, and the commands of this test, come in by the listener without a login.
  'super.users': 'User:ANONYMOUS',
};
const TOOLS = {
  'kafka-topics.sh': 'org.apache.kafka.tools.TopicCommand',
  'kafka-acls.sh': 'org.apache.kafka.tools.AclCommand',
  'kafka-consumer-groups.sh': 'org.apache.kafka.tools.consumer.group.ConsumerGroupCommand',
};

const guide = readFileSync(resolve(import.meta.dirname, '../../docs/deploy.md'), 'utf8');

/** The commands of the guide that use a tool, as they are printed. */
function printed(tool: keyof typeof TOOLS): string {
  const block = codeBlocks(guide).find(({ text }) => text.includes(tool));
  if (block === undefined) throw new Error(`docs/deploy.md has no ${tool}`);
  return block.text;
}

await describeWithKafka('Kafka as docs/deploy.md sets it up', () => {
  let server: KafkaServer;
  let client: KafkaClient;
  let world: KafkaWorld;
  let run: (commands: string) => Promise<void>;

  beforeAll(async () => {
    client = await loadKafkaClient();
    server = await KafkaServer.start({ clientProtocol: 'SASL_PLAINTEXT', properties });
    const [bin, jars] = [join(server.folder, 'bin'), await kafkaToolJars()];
    await mkdir(bin);
    for (const [tool, main] of Object.entries(TOOLS)) {
      const java = `exec java -Xmx128m -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '${jars}/*' ${main} "$@"`;
      await writeFile(join(bin, tool), `#!/bin/sh\n${java}\n`);
      await chmod(join(bin, tool), 0o755);
    }
    const env = { ...process.env, PATH: `${bin}:${process.env['PATH']}`, BROKER: server.plainAddresses.join(',') };
    run = async (commands) => {
      const child = spawn('bash', ['-ec', commands], { env, stdio: ['ignore', 'pipe', 'pipe'] });
      let said = '';
      for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += String(text)));
      const [status] = (await once(child, 'close')) as [number | null];
      if (status !== 0) throw new Error(`${commands}: ${said}`);
    };
    // The guide means three brokers; this is one.
    await run(
      printed('kafka-topics.sh')
        .replace('--replication-factor 3', '--replication-factor 1')
        .replace('min.insync.replicas=2', 'min.insync.replicas=1'),
    );
    await run(printed('kafka-acls.sh'));
  }, 300_000);
  beforeEach(() => {
    world = new KafkaWorld(server, client);
  });
  afterEach(() => world.close());
  afterAll(() => server?.stop());

  function open(username: string): Promise<KafkaTransport> {
    const sasl: KafkaConfig['sasl'] = { mechanism: 'PLAIN', username, password: PASSWORD };
    const plain = testBroker(server.addresses);
    return world.open(
      {},
      { topics: [EVENTS, DLQ], broker: { ...plain, sasl, topics: { ...plain.topics, create: false } } },
    );
  }

  async function consume(transport: KafkaTransport, topic: string, group: string): Promise<string[]> {
    const seen: string[] = [];
    await transport.subscribe({ topic, group, lanes: 2, batchSizeMax: 20 }, async (batch) => {
      for (const delivery of batch) seen.push(delivery.body);
      await Promise.all(batch.map((delivery) => delivery.settle()));
    });
    return seen;
  }

  it('lets gateway and worker do what they do', { timeout: 120_000 }, async () => {
    const [gateway, worker] = [await open('wecom-gateway'), await open('wecom-worker')];
    const [events, dead] = [await consume(worker, EVENTS, WORKERS), await consume(worker, DLQ, DEAD)];

    await gateway.publish(EVENTS, [{ orderingKey: 'a', body: 'event' }]);
    await worker.publish(DLQ, [{ orderingKey: 'a', body: 'dead' }]);

    await until(() => events.includes('event') && dead.includes('dead'), 60_000, 'both are there');
    expect([gateway.trouble(), worker.trouble()]).toEqual([null, null]);
    expect(await worker.backlog(EVENTS, WORKERS)).not.toEqual({ unsettled: null });
  });

  it('lets a gateway read nothing, and a worker bring no events', { timeout: 120_000 }, async () => {
    const [gateway, worker] = [await open('wecom-gateway'), await open('wecom-worker')];

    await expect(worker.publish(EVENTS, [{ orderingKey: 'a', body: 'forged' }])).rejects.toThrow();
    await expect(gateway.publish(DLQ, [{ orderingKey: 'a', body: 'forged' }])).rejects.toThrow();
    const seen = await consume(gateway, EVENTS, WORKERS);
    await until(() => /authoriz/i.test(gateway.trouble()?.reason ?? ''), 60_000, 'the refusal shows');
    expect(seen).toEqual([]);
  });

  it('brings back in order what was settled since a backup', { timeout: 180_000 }, async () => {
    const gateway = await open('wecom-gateway');
    const backupAt = new Date();
    await until(() => Date.now() > backupAt.getTime() + 5, 1_000, 'the clock moves');
    const bodies = ['first', 'second', 'third'];
    const first = await open('wecom-worker');
    const seen = await consume(first, EVENTS, WORKERS);
    for (const body of bodies) await gateway.publish(EVENTS, [{ orderingKey: 'restored', body }]);
    await until(() => bodies.every((body) => seen.includes(body)), 60_000, 'all are applied');
    await first.close();

    const reset = printed('kafka-consumer-groups.sh').replace(/^redis-cli.*\n/m, '');
    await run(reset.replace(/--to-datetime \S+/, `--to-datetime ${backupAt.toISOString().replace('Z', '')}`));

    const again = await consume(await open('wecom-worker'), EVENTS, WORKERS);
    await until(() => again.length >= bodies.length, 60_000, 'they come again');
    expect(again).toEqual(bodies);
  });
});

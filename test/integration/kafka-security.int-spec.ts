import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { KafkaConfig } from '../../src/config/kafka-config.js';
import type { KafkaClient } from '../../src/transport/kafka/kafka-client.js';
import { loadKafkaClient } from '../../src/transport/kafka/load-kafka-client.js';
import { testBroker } from '../contract/transport.kafka-harness.js';
import { describeWithKafka, KafkaServer } from '../support/kafka-server.js';
import { KafkaWorld } from '../support/kafka-world.js';
import { until } from '../support/until.js';

const USER = { username: 'alice', password: 'open sesame' };

/** A certificate for loopback that signs itself, in the form that the broker reads: key and certificate in one file. */
function makeCertificate(folder: string): readonly string[] {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=IP:127.0.0.1'];
  const args = [
    'req',
    '-x509',
    '-newkey',
    'rsa:2048',
    '-nodes',
    '-days',
    '2',
    '-keyout',
    key,
    '-out',
    cert,
    ...subject,
  ];
  const { status, stderr } = spawnSync('openssl', args, { encoding: 'utf8' });
  if (status !== 0) throw new Error(`openssl: ${stderr}`);
  writeFileSync(join(folder, 'keystore.pem'), readFileSync(key, 'utf8') + readFileSync(cert, 'utf8'));
  return ['--add-scram', `SCRAM-SHA-512=[name=${USER.username},password="${USER.password}"]`];
}

const MODULE = 'org.apache.kafka.common.security';
const properties = {
  'listener.name.client.sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-512',
  'listener.name.client.scram-sha-512.sasl.jaas.config': `${MODULE}.scram.ScramLoginModule required;`,
  'listener.name.client.plain.sasl.jaas.config': `${MODULE}.plain.PlainLoginModule required user_${USER.username}="${USER.password}";`,
  'listener.name.client.ssl.keystore.type': 'PEM',
  'listener.name.client.ssl.keystore.location': '{folder}/keystore.pem',
};

await describeWithKafka('Kafka with TLS and a login', () => {
  let server: KafkaServer;
  let client: KafkaClient;
  let world: KafkaWorld;
  let tls: KafkaConfig['tls'];

  beforeAll(async () => {
    client = await loadKafkaClient();
    server = await KafkaServer.start({ clientProtocol: 'SASL_SSL', properties, prepare: makeCertificate });
    tls = { ca: readFileSync(join(server.folder, 'cert.pem'), 'utf8'), certificate: null };
  }, 180_000);
  beforeEach(() => {
    world = new KafkaWorld(server, client);
  });
  afterEach(() => world.close());
  afterAll(() => server?.stop());

  it.each(['PLAIN', 'SCRAM-SHA-512'] as const)(
    'publishes and consumes with %s',
    async (mechanism) => {
      const broker = { ...testBroker(server.addresses), sasl: { mechanism, ...USER }, tls };
      const transport = await world.open({}, { broker });
      const seen: string[] = [];
      await transport.subscribe(world.subscription(), async (batch) => {
        for (const delivery of batch) seen.push(delivery.body);
        await Promise.all(batch.map((delivery) => delivery.settle()));
      });
      await transport.publish(world.topic, [{ orderingKey: 'a', body: mechanism }]);
      await until(() => seen.includes(mechanism), 30_000);
    },
    60_000,
  );

  it.each<[string, Partial<KafkaConfig>]>([
    ['a wrong password', { sasl: { mechanism: 'PLAIN', username: USER.username, password: 'wrong' } }],
    ['a certificate that it does not trust', { tls: { ca: null, certificate: null } }],
  ])(
    'names %s as its trouble, refuses to publish at once and closes in time',
    async (_, wrong) => {
      const broker = { ...testBroker(server.addresses), sasl: { mechanism: 'PLAIN' as const, ...USER }, tls, ...wrong };
      const transport = world.openUnready({}, { broker });
      await until(() => /authentication|certificate|ssl/i.test(transport.trouble()?.reason ?? ''), 20_000);
      expect(transport.trouble()!.reason).not.toContain('wrong');
      const begin = performance.now();
      await expect(transport.publish(world.topic, [{ orderingKey: 'a', body: 'a1' }])).rejects.toThrow();
      await transport.close();
      expect(performance.now() - begin).toBeLessThan(6_000);
    },
    60_000,
  );
});

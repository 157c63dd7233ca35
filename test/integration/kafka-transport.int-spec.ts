import { afterAll, beforeAll } from 'vitest';
import type { ClientSettings, KafkaClient } from '../../src/transport/kafka/kafka-client.js';
import { loadKafkaClient } from '../../src/transport/kafka/load-kafka-client.js';
import { kafkaFeatures, KafkaHarness } from '../contract/transport.kafka-harness.js';
import { describeTransport } from '../contract/transport.suite.js';
import { describeWithKafka, KafkaServer } from '../support/kafka-server.js';

await describeWithKafka('Kafka keeps the promise of the transport', () => {
  let server: KafkaServer;
  let client: KafkaClient;

  beforeAll(async () => {
    client = await loadKafkaClient();
    server = await KafkaServer.start();
  }, 180_000);
  afterAll(() => server?.stop());

  // By hand only, to see the suite fail: KAFKA_TEST_CLIENT_SETTINGS='{"acks":0,"enable.idempotence":false}'.
  const settings = JSON.parse(process.env['KAFKA_TEST_CLIENT_SETTINGS'] ?? '{}') as ClientSettings;

  describeTransport('kafka', kafkaFeatures, () => new KafkaHarness(server, client, settings));
});

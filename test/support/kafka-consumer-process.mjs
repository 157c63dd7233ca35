// A worker of its own, to be killed: settles all but the first message, which it holds, and says how many it settled.
import { SystemClock } from '../../dist/src/runtime/system-clock.js';
import { KafkaTransport } from '../../dist/src/transport/kafka/kafka-transport.js';
import { loadKafkaClient } from '../../dist/src/transport/kafka/load-kafka-client.js';

const { brokers, ...subscription } = JSON.parse(process.argv[2]);
const topics = { create: false, partitions: 1, replicationFactor: 0, retentionMs: 3_600_000 };
const transport = new KafkaTransport(await loadKafkaClient(), new SystemClock(), {
  broker: { brokers, sasl: null, tls: null, topics },
  clientId: 'to-be-killed',
  topics: [],
  publishTimeoutMs: 1_500,
  messageBytesMax: 1_000_000,
  defaultComeBackMs: 1_000,
  revokeLimitMs: 1_000,
});
let settled = 0;
transport.open();
await transport.subscribe(subscription, async (batch) => {
  for (const delivery of batch) {
    if (delivery.orderingKey === 'stuck') continue;
    await delivery.settle();
    settled += 1;
  }
  if (settled === 50) process.send({ settled });
  if (batch.some(({ orderingKey }) => orderingKey === 'stuck')) await new Promise(() => undefined);
});

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { SubscribeOptions } from '../../src/transport/transport.js';

const DIST = pathToFileURL(resolve(import.meta.dirname, '../../dist/src')).href;

/** Settles every message but those of the key `stuck`, which it holds. Writes a line when it has settled `count`. */
const SCRIPT = `
import { SystemClock } from '${DIST}/runtime/system-clock.js';
import { KafkaTransport } from '${DIST}/transport/kafka/kafka-transport.js';
import { loadKafkaClient } from '${DIST}/transport/kafka/load-kafka-client.js';
const { brokers, count, ...subscription } = JSON.parse(process.argv[1]);
const topics = { create: false, partitions: 1, replicationFactor: 0, retentionMs: 3_600_000 };
const transport = new KafkaTransport(await loadKafkaClient(), new SystemClock(), {
  broker: { brokers, sasl: null, tls: null, topics },
  clientId: 'to-be-killed',
  topics: [subscription.topic],
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
  if (settled === count) console.log('settled');
  if (batch.some(({ orderingKey }) => orderingKey === 'stuck')) await new Promise(() => undefined);
});
`;

/** A worker of its own, to be killed. Resolves when it has settled `count` messages. Needs the build. */
export async function startKafkaConsumer(
  options: SubscribeOptions & { readonly brokers: readonly string[]; readonly count: number },
): Promise<ChildProcess> {
  const args = ['--input-type=module', '-e', SCRIPT, JSON.stringify(options)];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'inherit'] });
  const killIt = (): void => void child.kill('SIGKILL');
  process.once('exit', killIt);
  child.once('exit', () => process.removeListener('exit', killIt));
  await once(child.stdout, 'data');
  return child;
}

// What the engines do without the service: messages of the same size by a bare producer, the same rows by bare batches.
import { createConnection } from 'mysql2/promise';
import { SystemClock } from '../../dist/src/runtime/system-clock.js';
import { loadKafkaClient } from '../../dist/src/transport/kafka/load-kafka-client.js';
import { fencedClients } from '../../dist/src/transport/rocketmq/fenced-clients.js';
import { loadClientLibrary } from '../../dist/src/transport/rocketmq/load-client-library.js';

// A message of the service is its event's text and about 400 bytes of facts.
const BODY = Buffer.alloc(1_300, 'x');
const ROWS_A_BATCH = 100;

export async function kafkaBaseLine(server, { count, connections }) {
  const { Producer } = await loadKafkaClient();
  const settings = { acks: -1, 'enable.idempotence': true, 'linger.ms': 1, dr_cb: true };
  const producer = new Producer({ 'bootstrap.servers': server.addresses.join(','), ...settings });
  await new Promise((resolve, reject) =>
    producer.connect({ timeout: 5_000 }, (error) => (error ? reject(error) : resolve())),
  );
  producer.setPollInBackground(true);
  producer.on('delivery-report', (error, { opaque }) => opaque(error));
  const send = (n) =>
    new Promise((resolve, reject) => {
      const reported = (error) => (error ? reject(error) : resolve());
      producer.produce('wecom.events.dlq', null, BODY, Buffer.from(`key-${n}`), 0, reported);
    });
  const result = await sideBySide(count, connections, send);
  await new Promise((resolve) => producer.disconnect(1_000, resolve));
  return result;
}

export async function rocketMqBaseLine(server, { count, connections }) {
  const options = { endpoints: server.endpoints, credentials: null, requestTimeoutMs: 3_000, debug: () => undefined };
  const producer = fencedClients(await loadClientLibrary(), new SystemClock(), options).producer('wecom-events-dlq');
  await producer.start();
  const send = (n) => producer.send({ messageGroup: `key-${n}`, body: BODY, properties: new Map() });
  const result = await sideBySide(Math.min(count, 5_000), connections, send);
  await producer.stop();
  return result;
}

async function sideBySide(count, width, send) {
  const [begun, cpu] = [performance.now(), process.cpuUsage()];
  let next = 0;
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let n = next++; n < count; n = next++) await send(n);
    }),
  );
  const { user, system } = process.cpuUsage(cpu);
  return { sentPerSecond: (count / (performance.now() - begun)) * 1000, senderCpuMicros: (user + system) / count };
}

/** The rows of the run once more into an empty table of the same form, and nothing else. */
export async function insertBaseLine(maria, database) {
  const table = `${database}.bare_log`;
  await maria.root.query(`CREATE TABLE ${table} LIKE ${database}.event_log`);
  const [[first]] = await maria.root.query(`SELECT * FROM ${database}.event_log LIMIT 1`);
  const columns = Object.keys(first).filter((name) => name !== 'waiting_key');
  const [rows] = await maria.root.query(
    `SELECT ${columns.join(', ')} FROM ${database}.event_log ORDER BY id LIMIT 20000`,
  );
  const values = rows.map((row) => Object.values(row));
  const connections = await Promise.all(
    Array.from({ length: 4 }, () => createConnection({ uri: maria.url(database) })),
  );
  const begun = performance.now();
  let next = 0;
  await Promise.all(
    connections.map(async (connection) => {
      for (let at = next; at < values.length; at = next) {
        next += ROWS_A_BATCH;
        await connection.query(`INSERT INTO ${table} (${columns.join(', ')}) VALUES ?`, [
          values.slice(at, at + ROWS_A_BATCH),
        ]);
      }
    }),
  );
  const ms = performance.now() - begun;
  for (const connection of connections) await connection.end();
  return { rowsPerSecond: (values.length / ms) * 1000 };
}

// The service in three processes (gateway, worker, admin) on real engines, all on this machine: answers, events end to
// end, CPU time of every process a callback, and what was lost, doubled or applied out of order. The base lines of the same run say what
// the machine could do: a route that only verifies and decrypts, a bare producer, bare batches of the same rows.
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { KafkaServer } from '../../dist/test/support/kafka-server.js';
import { startMariaDb } from '../../dist/test/support/mariadb-server.js';
import { RedisServer } from '../../dist/test/support/redis-server.js';
import { RocketMqServer } from '../../dist/test/support/rocketmq-server.js';
import { insertBaseLine, kafkaBaseLine, rocketMqBaseLine } from './base-lines.mjs';
import { deliver, percentile, requestBytes } from './load.mjs';
import { measureServer } from './measured-server.mjs';
import { cpuByName, RoleProcess } from './role-process.mjs';
import { auditRun } from './run-audit.mjs';
import { callbacks, CREDENTIALS } from './workload.mjs';

const ADMIN_TOKEN = 'bench-admin-token-0123456789';
const MAIN_DIST = join(import.meta.dirname, '../../dist/src');
const TOPICS = ['wecom.events', 'wecom.events.dlq'];
const GROUPS = ['wecom.workers', 'wecom.dead-letters'];
const LOOK_EVERY_MS = 200;
const STALLED_AFTER_MS = 30_000;
const QUIET = { perSecond: 300, count: 1_500 };

const BROKERS = {
  kafka: {
    start: () => KafkaServer.start(),
    env: (server) => ({ TRANSPORT: 'kafka', KAFKA_BROKERS: server.addresses.join(',') }),
    baseLine: kafkaBaseLine,
    lanes: '4',
  },
  rocketmq: {
    start: () => RocketMqServer.start({ topics: TOPICS.map(dashed), groups: GROUPS.map(dashed) }),
    env: (server) => ({
      ...{ TRANSPORT: 'rocketmq', ROCKETMQ_ENDPOINTS: server.endpoints, EVENTS_TOPIC: dashed(TOPICS[0]) },
      ...{ DLQ_TOPIC: dashed(TOPICS[1]), EVENTS_GROUP: dashed(GROUPS[0]), DLQ_GROUP: dashed(GROUPS[1]) },
    }),
    baseLine: rocketMqBaseLine,
    // A receive loop a queue.
    lanes: '16',
  },
};

export async function benchEngines(options) {
  const { start, env, baseLine, lanes } = BROKERS[options.engines.split('-')[0]];
  const folder = mkdtempSync(join(tmpdir(), 'wecom-bench-'));
  const cleanUps = [async () => rmSync(folder, { recursive: true, force: true })];
  try {
    const open = await measureServer('open', { ...options, count: Math.min(options.count, 10_000) });
    const [redis, maria, broker] = [await RedisServer.start(), await startMariaDb(...DATABASE_OPTIONS), await start()];
    cleanUps.push(...[broker, maria, redis].map((server) => () => server.stop()));
    const database = await maria.createDatabase();
    const appsFile = join(folder, 'apps.json');
    writeFileSync(appsFile, JSON.stringify({ bench: CREDENTIALS }));
    const settings = {
      ...{ PORT: '0', ADMIN_PORT: '0', HOST: '127.0.0.1', ADMIN_TOKEN, WECOM_APPS_FILE: appsFile, LOG_LEVEL: 'warn' },
      ...{ GUARD: 'redis', REDIS_URL: redis.url, STORE: 'mariadb', DATABASE_URL: maria.url(database) },
      ...{ WORKER_LANES: options.lanes ?? lanes, WORKER_BATCH_MAX: options.batch, ...env(broker) },
      // A lane's transaction, and as many for everything else.
      DATABASE_POOL_MAX: String(Math.max(10, 2 * Number(options.lanes ?? lanes) + 2)),
    };
    migrate(settings);
    const parts = {};
    const names = new Map();
    for (const role of ['worker', 'gateway', 'admin']) {
      // `service.started` and `app.ready` are logged at info, before the first callback.
      parts[role] = await RoleProcess.start(role, { ...settings, LOG_LEVEL: 'info' }, options.profile);
      names.set(parts[role].child.pid, role);
      cleanUps.push(() => parts[role].stop());
    }
    const result = await measure(options, { ...parts, names, maria, database });
    const bare = { ...(await baseLine(broker, options)), ...(await insertBaseLine(maria, database)) };
    return report(options, { open, ...result, bare });
  } finally {
    // Processes first, then what they stand on.
    for (const cleanUp of cleanUps.reverse()) await cleanUp().catch((error) => console.error(String(error)));
  }
}

// As a database of a service has them; each commit is on the disk before it counts.
const DATABASE_OPTIONS = ['--innodb-buffer-pool-size=256M', '--innodb-flush-log-at-trx-commit=1'];

async function measure({ count, warmup, connections, statements }, parts) {
  const { gateway, worker, names, maria, database } = parts;
  const list = callbacks(warmup + count + QUIET.count);
  const requests = list.map(requestBytes);
  await deliver(gateway.port, requests.slice(0, warmup), { connections });
  await decided(worker, warmup);
  if (statements) await logStatements(maria, true);
  const before = cpuByName(names);
  const begunAt = Date.now();
  const { latencies, ms } = await deliver(gateway.port, requests.slice(warmup, warmup + count), { connections });
  await decided(worker, warmup + count);
  const after = cpuByName(names);
  // By the rows themselves: looking more often would take time from what is measured.
  const [[{ last }]] = await maria.root.query(`SELECT MAX(decided_at) AS last FROM ${database}.event_log`);
  if (statements) await logStatements(maria, false);
  const quiet = await deliver(gateway.port, requests.slice(warmup + count), {
    connections,
    perSecond: QUIET.perSecond,
  });
  await decided(worker, requests.length);
  const cpu = Object.entries(after).map(([name, micros]) => [name, (micros - (before[name] ?? 0)) / count]);
  return {
    answeredPerSecond: (count / ms) * 1000,
    donePerSecond: (count / (Number(last) - begunAt)) * 1000,
    busy: { p50: percentile(latencies, 0.5), p99: percentile(latencies, 0.99) },
    quiet: { p50: percentile(quiet.latencies, 0.5), p99: percentile(quiet.latencies, 0.99) },
    cpuMicros: Object.fromEntries(cpu.sort(([, a], [, b]) => b - a)),
    ...(statements ? { statements: await countStatements(maria, count) } : {}),
    audit: await auditRun({ ...parts, texts: list.map(({ text }) => text), adminToken: ADMIN_TOKEN }),
    warnings: { gateway: gateway.warningCounts(), worker: worker.warningCounts() },
  };
}

async function decided(worker, target) {
  let [seen, since] = [-1, performance.now()];
  for (;;) {
    const sum =
      (await worker.metric('wecom_events_decided_total')) + (await worker.metric('wecom_events_duplicate_total'));
    if (sum >= target) return;
    if (sum > seen) [seen, since] = [sum, performance.now()];
    // Goes on to the audit, which names what is missing.
    if (performance.now() - since > STALLED_AFTER_MS) return console.error(`stalled at ${sum} of ${target} events`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}

async function logStatements(maria, isOn) {
  await maria.root.query("SET GLOBAL log_output = 'TABLE'");
  if (isOn) await maria.root.query('TRUNCATE mysql.general_log');
  await maria.root.query(`SET GLOBAL general_log = ${isOn ? 1 : 0}`);
}

/** Statements an event, by their first words. */
async function countStatements(maria, count) {
  const [rows] = await maria.root.query(
    `SELECT REGEXP_REPLACE(SUBSTRING_INDEX(REGEXP_REPLACE(LEFT(argument, 200), '[[:space:]]+', ' '), ' ', 5), '[0-9(].*', '') AS words,
       COUNT(*) AS total FROM mysql.general_log WHERE command_type IN ('Query', 'Execute') GROUP BY words ORDER BY total DESC LIMIT 25`,
  );
  return Object.fromEntries(rows.map(({ words, total }) => [String(words), Number((total / count).toFixed(3))]));
}

function migrate(settings) {
  const env = { PATH: process.env.PATH, DATA_DIR: tmpdir(), ...settings };
  const run = spawnSync(process.execPath, [join(MAIN_DIST, 'migrate.js')], { env, encoding: 'utf8' });
  if (run.status !== 0) throw new Error(`the tables could not be made: ${run.stderr}`);
}

function dashed(name) {
  return name.replaceAll('.', '-');
}

function report(options, { open, bare, audit, ...result }) {
  const { gateway } = result.cpuMicros;
  const figure = (value) => Number(value.toFixed(value < 10 ? 1 : 0));
  console.table({
    'gateway CPU µs a callback': {
      value: figure(gateway),
      'base line': figure(open.cpuMicros),
      times: figure(gateway / open.cpuMicros),
    },
    'answered/s': {
      value: figure(result.answeredPerSecond),
      'base line': figure(bare.sentPerSecond),
      times: figure(bare.sentPerSecond / result.answeredPerSecond),
    },
    'events/s end to end': {
      value: figure(result.donePerSecond),
      'base line': figure(bare.rowsPerSecond),
      times: figure(bare.rowsPerSecond / result.donePerSecond),
    },
    'answer p50 / p99 ms, busy': { value: `${figure(result.busy.p50)} / ${figure(result.busy.p99)}` },
    [`answer p50 / p99 ms, ${QUIET.perSecond}/s`]: {
      value: `${figure(result.quiet.p50)} / ${figure(result.quiet.p99)}`,
    },
    'lost / doubled / inversions': { value: `${audit.lost} / ${audit.doubled} / ${audit.inversions}` },
  });
  console.log('CPU µs a callback, by process:', roundAll(result.cpuMicros));
  console.log('base lines:', roundAll({ openCpuMicros: open.cpuMicros, ...bare }));
  console.log('audit:', JSON.stringify(audit), 'warnings:', JSON.stringify(result.warnings));
  if (result.statements) console.log('statements an event:', result.statements);
  return { engines: options.engines, isSound: audit.isSound, ...result, audit, open, bare };
}

function roundAll(values) {
  return Object.fromEntries(Object.entries(values).map(([name, value]) => [name, Math.round(value)]));
}

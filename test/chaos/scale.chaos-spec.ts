import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Cluster, type Member } from '../support/cluster.js';
import { EngineSet, type EngineChoice } from '../support/engine-set.js';
import { faultsOf, NO_FAULTS } from '../support/simulator-run.js';
import { KafkaUnderTest, type TestBroker } from '../support/test-broker.js';
import { until } from '../support/until.js';

const COUNT = Number(process.env['CHAOS_COUNT'] ?? 20_000);
const FAULT_MS = Number(process.env['CHAOS_FAULT_MS'] ?? 20_000);
/** Load between two faults, so that each one finds work in hand. */
const BETWEEN_MS = FAULT_MS / 4;
/** How long a process, a broker or a database takes to come back on a busy machine. */
const START_MS = 10_000;
/** Names of combinations, separated by commas; all of them if not set. */
const ONLY = process.env['CHAOS_ENGINES']?.split(',');

const COMBINATIONS: Readonly<Record<string, EngineChoice>> = {
  'kafka-mariadb': { transport: 'kafka', store: 'mariadb' },
  'kafka3-mysql': { transport: 'kafka', store: 'mysql', brokers: 3 },
  'rocketmq-mariadb': { transport: 'rocketmq', store: 'mariadb' },
};

const PREFIX = 'c1';
const LEASE_MAX_LIFE_MS = 10_000;
const SETTINGS = {
  RETRY_DELAYS: '200,400,800',
  LEASE_TTL_MS: '3000',
  LEASE_MAX_LIFE_MS: String(LEASE_MAX_LIFE_MS),
};
/** All that was in hand comes back within its lease; then it has to be worked off. */
const QUIET_LIMIT_MS = LEASE_MAX_LIFE_MS + 60_000;

const chosen = Object.entries(COMBINATIONS).filter(([name]) => ONLY?.includes(name) ?? true);

describe.each(chosen)('two gateways and three workers on %s', (name, choice) => {
  let engines: EngineSet | null = null;
  let cluster: Cluster | null = null;

  afterEach(async () => {
    await cluster?.stop();
    await engines?.stop();
    [cluster, engines] = [null, null];
  }, 120_000);

  it(
    'lose, double and invert nothing while processes and engines fail',
    async () => {
      engines = await EngineSet.start(choice);
      cluster = await Cluster.start({
        env: { ...SETTINGS, ...(await engines.env(PREFIX)) },
        gateways: 2,
        workers: 3,
      });
      const world = { engines, cluster };
      const before = usageOf(cluster);
      const faults = faultsOn(world);
      // Two and a half deliveries an event (--duplicates 3), spread over the faults and the time between them.
      const spreadMs = faults.reduce((sum, { ms }) => sum + ms + BETWEEN_MS, BETWEEN_MS);
      const rate = Math.ceil((COUNT * 2.5 * 1_000) / spreadMs);
      const startedAt = performance.now();
      const load = ['--count', String(COUNT), '--duplicates', '3', '--shuffle', '--rate', String(rate)];
      const patience = ['--retry-after', '1000', '--retries', '100', '--settle-timeout', '300'];
      let isOver = false;
      const simulation = cluster.simulate(...load, ...patience).finally(() => (isOver = true));
      simulation.catch(() => undefined);
      for (const { what, run } of faults) {
        await pause(BETWEEN_MS);
        expect(isOver, `the load was over before "${what}"`).toBe(false);
        tell(name, what);
        await run();
      }
      const ended = await simulation;
      const seconds = Math.round((performance.now() - startedAt) / 1_000);
      tell(name, `${seconds} s at ${rate} a second: ${ended.output.slice(ended.output.indexOf('{')).trim()}`);

      const quiet = performance.now();
      await until(() => isQuiet(world), QUIET_LIMIT_MS, 'nothing waits on the transport, in a spool or in a row');
      tell(name, `quiet after ${Math.round(performance.now() - quiet)} ms`);
      tell(name, JSON.stringify({ before, after: usageOf(cluster) }));

      expect(faultsOf(ended), ended.output).toEqual(NO_FAULTS);
      expect(ended.result).toMatchObject({ events: COUNT, answeredEvents: COUNT });
      expect(ended.code).toBe(0);
      expect(await auditOf(engines)).toEqual({ rows: COUNT, doubled: 0, missing: 0, waiting: 0, unsent: 0 });
      // A run without trouble would have shown nothing.
      expect(await cluster.sum(cluster.workers, 'wecom_events_duplicate_total')).toBeGreaterThan(0);
      expect(cluster.gateways.flatMap((one) => one.events('event.publish_failed')).length).toBeGreaterThan(0);
    },
    FAULT_MS * 20 + COUNT * 90 + 600_000,
  );
});

interface World {
  readonly engines: EngineSet;
  readonly cluster: Cluster;
}

interface Fault {
  readonly what: string;
  /** About how long it takes. */
  readonly ms: number;
  readonly run: () => Promise<unknown>;
}

function faultsOn({ engines: { redis, broker, database }, cluster }: World): Fault[] {
  const [firstGateway, secondGateway] = cluster.gateways as [Member, Member];
  const [firstWorker, secondWorker, thirdWorker] = cluster.workers as [Member, Member, Member];
  const downMs = FAULT_MS / 4;
  return [
    { what: 'Redis forgets everything', ms: 0, run: () => redis.client().flushall() },
    { what: 'a worker dies and comes back', ms: downMs + START_MS, run: () => dieAndComeBack(firstWorker, downMs) },
    { what: 'a gateway dies and comes back', ms: downMs + START_MS, run: () => dieAndComeBack(firstGateway, downMs) },
    {
      what: 'the broker stops, and a gateway dies with events in its spool meanwhile',
      ms: FAULT_MS + downMs + 2 * START_MS,
      run: async () => {
        await broker.kill();
        await pause(FAULT_MS / 2);
        await dieAndComeBack(secondGateway, downMs);
        await pause(FAULT_MS / 2);
        await broker.run();
      },
    },
    { what: 'the broker hangs', ms: FAULT_MS, run: () => hang(broker, FAULT_MS) },
    ...faultsOfOneBroker(broker),
    {
      what: 'a worker stands still past every lease',
      ms: 1.5 * FAULT_MS,
      run: () => hang(secondWorker, 1.5 * FAULT_MS),
    },
    {
      what: 'the database dies, and Redis forgets everything while it starts',
      ms: START_MS,
      run: async () => {
        await database.kill();
        await redis.client().flushall();
        await database.start();
      },
    },
    {
      what: 'a worker and a gateway die together',
      ms: downMs + START_MS,
      run: () => Promise.all([dieAndComeBack(thirdWorker, downMs), dieAndComeBack(firstGateway, downMs)]),
    },
  ];
}

/** With three brokers, what each event was promised must outlive any one of them. */
function faultsOfOneBroker(broker: TestBroker): Fault[] {
  const brokers = broker instanceof KafkaUnderTest ? broker.server.brokers : [];
  const [first] = brokers;
  if (brokers.length < 3 || first === undefined) return [];
  const run = async (): Promise<void> => {
    await first.kill();
    await pause(FAULT_MS);
    first.start();
    await first.accepts();
  };
  return [{ what: 'one of three brokers dies and comes back', ms: FAULT_MS + START_MS, run }];
}

async function dieAndComeBack(member: Member, afterMs: number): Promise<void> {
  await member.kill();
  await pause(afterMs);
  await member.start();
}

async function hang(victim: { pause(): void; resume(): void }, ms: number): Promise<void> {
  victim.pause();
  await pause(ms);
  victim.resume();
}

async function isQuiet({ engines, cluster }: World): Promise<boolean> {
  if ((await cluster.spooled()) > 0 || (await count(engines, WAITING)) > 0) return false;
  return (await engines.broker.backlog(PREFIX)) === 0;
}

const WAITING = "event_log WHERE status IN ('RETRY', 'PARKED', 'DEAD', 'REDRIVEN')";

function count(engines: EngineSet, from: string): Promise<number> {
  return engines.ask(PREFIX, `SELECT COUNT(*) FROM ${from}`);
}

/** The database's own word, without the service. */
async function auditOf(engines: EngineSet): Promise<Record<string, number>> {
  const owed = await count(engines, "event_log WHERE status = 'APPLIED' AND entity_key IS NOT NULL");
  return {
    rows: await count(engines, 'event_log'),
    doubled: await count(engines, '(SELECT 1 FROM entity_change GROUP BY event_key HAVING COUNT(*) > 1) AS twice'),
    missing: owed - (await count(engines, 'entity_change')),
    waiting: await count(engines, WAITING),
    unsent: await count(engines, "outbox WHERE status = 'PENDING'"),
  };
}

function usageOf({ members }: Cluster): Record<string, unknown> {
  return Object.fromEntries(members.map((one) => [one.dataDir.split('/').at(-1), one.usage]));
}

/** For who reads the run; nothing is judged by it. */
function tell(name: string, what: string): void {
  process.stderr.write(`[${new Date().toISOString()}] ${name}: ${what}\n`);
}

import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Member } from '../support/cluster.js';
import type { EngineChoice } from '../support/engine-set.js';
import { KafkaUnderTest, type TestBroker } from '../support/test-broker.js';
import {
  chosen,
  dieAndComeBack,
  FAULT_MS,
  hang,
  keepsItsPromiseUnder,
  startCluster,
  startEngines,
  START_MS,
  TEST_LIMIT_MS,
  type Fault,
  type World,
} from './chaos-run.js';

const COMBINATIONS: Readonly<Record<string, EngineChoice>> = {
  'kafka-mariadb': { transport: 'kafka', store: 'mariadb' },
  'kafka3-mysql': { transport: 'kafka', store: 'mysql', brokers: 3 },
  'rocketmq-mariadb': { transport: 'rocketmq', store: 'mariadb' },
};

describe.each(chosen(COMBINATIONS))('two gateways and three workers on %s', (name, choice) => {
  it(
    'lose, double and invert nothing while processes and engines fail',
    async () => {
      const [engines, env] = await startEngines(choice);
      const cluster = await startCluster({ env });
      const world = { engines, cluster };
      await keepsItsPromiseUnder(name, world, faultsOn(world));
      // A run without trouble would have shown nothing.
      expect(await cluster.sum(cluster.workers, 'wecom_events_duplicate_total')).toBeGreaterThan(0);
      expect(cluster.gateways.flatMap((one) => one.events('event.publish_failed')).length).toBeGreaterThan(0);
    },
    TEST_LIMIT_MS,
  );
});

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

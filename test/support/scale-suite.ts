import { afterAll, beforeAll, expect, it } from 'vitest';
import { Cluster, CLUSTER_APP, CLUSTER_APP_NAME, type Member } from './cluster.js';
import type { DatabaseEngine } from '../services/database-programs.js';
import type { StartDatabase } from './database-server.js';
import { EngineSet, type SharedEngines } from './engine-set.js';
import { faultsOf, NO_FAULTS } from './simulator-run.js';
import { approvalXml } from './texts.js';
import { until } from './until.js';
import { WecomClient } from './wecom-client.js';

const COUNT = 1_000;
// For a publish that missed its limit all the same. A worker that left its work behind would leave far more.
const COPIES_MAX = 20;
const START_LIMIT_MS = 300_000;
const RUN_LIMIT_MS = 480_000;
const QUIET_LIMIT_MS = 180_000;
const TIME = 1_796_000_400;
const SETTINGS = { RETRY_DELAYS: '200,400,800' };

/** What two gateways, three workers and an admin owe as processes of their own, on any engines. */
export function scaleSuite(shared: () => SharedEngines, startDatabase: StartDatabase, engine: DatabaseEngine): void {
  const prefix = engine === 'mariadb' ? 'c1' : 'c2';
  let engines: EngineSet;
  let cluster: Cluster;

  beforeAll(async () => {
    engines = new EngineSet(shared(), await startDatabase());
    cluster = await Cluster.start({
      env: { ...SETTINGS, ...(await engines.env(prefix)) },
      gateways: 2,
      workers: 3,
    });
  }, START_LIMIT_MS);

  afterAll(async () => {
    await cluster?.stop();
    await engines?.database.stop();
  }, START_LIMIT_MS);

  const rows = (): Promise<number> => engines.ask(prefix, 'SELECT COUNT(*) FROM event_log');
  const accepted = async (): Promise<number> => {
    const answers = ['published', 'spooled'].map((name) =>
      cluster.sum(cluster.gateways, 'wecom_callbacks_total', `answer="${name}"`),
    );
    return (await answers[0]!) + (await answers[1]!);
  };
  const duplicates = (of: readonly Member[] = cluster.workers): Promise<number> =>
    cluster.sum(of, 'wecom_events_duplicate_total');

  it(
    'lose, double and invert nothing, and every answer is accounted for',
    async () => {
      const ended = await cluster.simulate('--count', String(COUNT), '--duplicates', '2', '--shuffle');
      expect(faultsOf(ended), ended.output).toEqual(NO_FAULTS);
      expect(ended.code).toBe(0);
      // The balance of all processes together: what was answered success is a row or a copy of one. There may be more
      // copies than answers: a publish of unknown outcome goes into the spool, and then the broker has it twice.
      const balance = async (): Promise<number> => (await accepted()) - (await rows()) - (await duplicates());
      await until(async () => (await balance()) <= 0, QUIET_LIMIT_MS, 'every answer is accounted for');
      await until(async () => (await engines.broker.backlog(prefix)) === 0, QUIET_LIMIT_MS, 'the backlog is 0');
      // Otherwise one process would have done it all.
      for (const one of cluster.workers) expect(await one.metric('wecom_events_decided_total')).toBeGreaterThan(0);
      for (const one of cluster.gateways)
        expect(await one.metric('wecom_callbacks_total', 'published')).toBeGreaterThan(0);
    },
    RUN_LIMIT_MS,
  );

  it(
    'hand over what a worker has that is told to stop, and deliver hardly anything again',
    async () => {
      const [leaving, ...staying] = cluster.workers as [Member, ...Member[]];
      const before = await duplicates(staying);
      const decided = await leaving.metric('wecom_events_decided_total');
      // Slow enough that no publish misses its limit: such a one is there twice, and no worker's doing.
      const load = ['--count', '600', '--duplicates', '0', '--hang-up-share', '0', '--rate', '40'];
      const simulation = cluster.simulate(...load);
      await until(
        async () => (await leaving.metric('wecom_events_decided_total')) > decided + 20,
        QUIET_LIMIT_MS,
        'the worker that is to leave has work',
      );
      expect(await leaving.stop()).toBe(0);
      const ended = await simulation;
      expect(faultsOf(ended), ended.output).toEqual(NO_FAULTS);
      expect((await duplicates(staying)) - before).toBeLessThan(COPIES_MAX);
      await leaving.start();
    },
    RUN_LIMIT_MS,
  );

  // What the broker does has nothing to do with the database: once is enough.
  if (engine !== 'mariadb') return;
  it(
    'keep events in a spool while the broker is away, ready all the time, and bring them there later',
    async () => {
      const [gateway] = cluster.gateways as [Member];
      const client = new WecomClient(gateway.running.callbackBase, CLUSTER_APP_NAME, CLUSTER_APP);
      const before = await rows();
      try {
        await engines.broker.kill();
        for (let order = 0; order < 20; order += 1)
          expect((await client.deliver(approvalXml(`Spooled${order}`, 1, TIME))).body).toBe('success');
        expect(await gateway.metric('wecom_spool_messages')).toBe(20);
        await until(
          async () => (await gateway.health()).parts['transport']?.status === 'degraded',
          QUIET_LIMIT_MS,
          'the gateway says that the broker is away',
        );
        expect((await gateway.health()).ready).toBe(true);
      } finally {
        client.close();
        await engines.broker.run();
      }
      await until(async () => (await rows()) === before + 20, QUIET_LIMIT_MS, 'the spooled events have their rows');
      expect(await cluster.spooled()).toBe(0);
      await until(
        async () => (await gateway.health()).parts['transport']?.status === 'up',
        QUIET_LIMIT_MS,
        'the gateway says that the broker is back',
      );
    },
    RUN_LIMIT_MS,
  );
}

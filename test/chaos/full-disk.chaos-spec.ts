import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { Cluster, type Member } from '../support/cluster.js';
import { EngineSet, type EngineChoice } from '../support/engine-set.js';
import { describeWithSmallDisk, SmallDisk } from '../support/small-disk.js';
import {
  chosen,
  dieAndComeBack,
  FAULT_MS,
  keepsItsPromiseUnder,
  PREFIX,
  SETTINGS,
  START_MS,
  TEST_LIMIT_MS,
  type Fault,
} from './chaos-run.js';

const COMBINATIONS: Readonly<Record<string, EngineChoice>> = {
  'kafka-mariadb': { transport: 'kafka', store: 'mariadb' },
  'rocketmq-mariadb': { transport: 'rocketmq', store: 'mariadb' },
};
/** Room for some hundred events: a broker that is away fills it within seconds. */
const DISK_BYTES = 1_048_576;

describeWithSmallDisk('the disk under the spool', () => {
  describe.each(chosen(COMBINATIONS))('of two gateways on %s', (name, choice) => {
    const disks = new Map<string, SmallDisk>();
    let engines: EngineSet | null = null;
    let cluster: Cluster | null = null;

    afterEach(async () => {
      await cluster?.stop();
      for (const disk of disks.values()) disk.unmount();
      disks.clear();
      await engines?.stop();
      [cluster, engines] = [null, null];
    }, 120_000);

    it(
      'fills up while the broker is away, and nothing is lost, doubled or inverted',
      async () => {
        engines = await EngineSet.start(choice);
        const envOf = async (member: string): Promise<Record<string, string>> => {
          if (!member.startsWith('gateway')) return {};
          const disk = SmallDisk.mount(DISK_BYTES);
          disks.set(member, disk);
          return { DATA_DIR: disk.folder };
        };
        const env = { ...SETTINGS, ...(await engines.env(PREFIX)) };
        cluster = await Cluster.start({ env, envOf, gateways: 2, workers: 3 });
        await keepsItsPromiseUnder(name, { engines, cluster }, faultsOn(engines, cluster, disks));
        // A disk that never was full would have shown nothing.
        for (const gateway of cluster.gateways) expect(gateway.events('callback.not_kept').length).toBeGreaterThan(0);
        for (const { freeBytes } of disks.values()) expect(freeBytes).toBeGreaterThan(0);
      },
      TEST_LIMIT_MS,
    );
  });
});

function faultsOn({ broker }: EngineSet, cluster: Cluster, disks: ReadonlyMap<string, SmallDisk>): Fault[] {
  const [, second] = cluster.gateways as [Member, Member];
  const all = [...disks.values()];
  return [
    {
      what: 'the broker is away until both disks are full, and a gateway dies with a full one',
      ms: 2 * FAULT_MS + START_MS,
      run: async () => {
        await broker.kill();
        await pause(FAULT_MS);
        await dieAndComeBack(second, FAULT_MS / 4);
        await pause(FAULT_MS / 2);
        await broker.run();
      },
    },
    {
      what: "somebody else's file takes all that is left, and the broker stops",
      ms: FAULT_MS,
      run: async () => {
        for (const disk of all) disk.fill();
        await broker.kill();
        await pause(FAULT_MS / 2);
        for (const disk of all) disk.free();
        await pause(FAULT_MS / 2);
        await broker.run();
      },
    },
  ];
}

import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { Cluster, Member } from '../support/cluster.js';
import type { EngineChoice, EngineSet } from '../support/engine-set.js';
import { describeWithSmallDisk, SmallDisk } from '../support/small-disk.js';
import {
  chosen,
  dieAndComeBack,
  endsWithTest,
  FAULT_MS,
  keepsItsPromiseUnder,
  startCluster,
  startEngines,
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
    it(
      'fills up while the broker is away, and nothing is lost, doubled or inverted',
      async () => {
        const [engines, env] = await startEngines(choice);
        const disks = new Map<string, SmallDisk>();
        const envOf = async (member: string): Promise<Record<string, string>> => {
          if (!member.startsWith('gateway')) return {};
          const disk = SmallDisk.mount(DISK_BYTES);
          endsWithTest(() => disk.unmount());
          disks.set(member, disk);
          return { DATA_DIR: disk.folder };
        };
        const cluster = await startCluster({ env, envOf });
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

import type { Redis } from 'ioredis';
import type { GuardServers } from '../../src/config/guard-servers.js';
import type { RedisProgram } from './redis-programs.js';
import { freePort } from './free-port.js';
import { RedisServer } from './redis-server.js';
import { until } from './until.js';

const MASTER_COUNT = 3;
const SLOT_COUNT = 16_384;
/** After so long without an answer a master is taken for dead, and a replica takes its place. */
const NODE_TIMEOUT_MS = 1_000;
/** Longer than the servers themselves try. */
const PROMOTION_LIMIT_MS = 6_000;
const FORMED_LIMIT_MS = 30_000;

export interface ClusterNode {
  readonly server: RedisServer;
  readonly client: Redis;
  readonly busPort: number;
}

/** A real cluster of three masters with a replica each, on free loopback ports. */
export class RedisClusterServer {
  private constructor(readonly nodes: ClusterNode[]) {}

  static async start(program?: RedisProgram): Promise<RedisClusterServer> {
    const cluster = new RedisClusterServer([]);
    try {
      for (let n = 0; n < 2 * MASTER_COUNT; n += 1) await cluster.addNode(program);
      await cluster.form();
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get servers(): GuardServers {
    return { kind: 'cluster', seeds: this.nodes.slice(0, 2 * MASTER_COUNT).map(({ server }) => server.address) };
  }

  get url(): string {
    return `redis://${this.nodes.map(({ server }) => `${server.address.host}:${server.address.port}`).join()}`;
  }

  /** A server that is no part of the cluster yet. */
  async addNode(program?: RedisProgram): Promise<ClusterNode> {
    const busPort = await freePort();
    const server = await RedisServer.start({
      ...(program ? { program } : {}),
      args: [
        ...['--cluster-enabled', 'yes', '--cluster-config-file', 'nodes.conf', '--cluster-port', String(busPort)],
        // A replica may always stand for election: the tests leave it little time to fall behind.
        ...['--cluster-node-timeout', String(NODE_TIMEOUT_MS), '--cluster-replica-validity-factor', '0'],
        // Otherwise a master whose last slot has moved is a replica before it has been told so.
        ...['--cluster-allow-replica-migration', 'no'],
        ...['--repl-diskless-sync-delay', '0', '--repl-ping-replica-period', '1'],
      ],
    });
    const node = { server, client: server.client(), busPort };
    this.nodes.push(node);
    return node;
  }

  /** Makes a server known to the others. */
  async meet(node: ClusterNode): Promise<void> {
    const { host, port } = node.server.address;
    await this.nodes[0]?.client.call('CLUSTER', 'MEET', host, port, node.busPort);
    await this.agreed();
  }

  /** The server that has the slot now, by its own word. */
  async masterOf(slot: number): Promise<ClusterNode> {
    let found: ClusterNode | undefined;
    await until(async () => {
      for (const node of this.nodes) {
        const ranges = await slotRanges(node);
        if (ranges.some(([first, last]) => first <= slot && slot <= last)) found = node;
      }
      return found !== undefined;
    });
    if (found === undefined) throw new Error('nobody');
    return found;
  }

  async replicaOf(master: ClusterNode): Promise<ClusterNode> {
    const id = await idOf(master);
    for (const node of this.nodes.filter(({ server }) => server.isRunning)) {
      const myself = (await textOf(node, 'NODES')).split('\n').find((line) => line.includes('myself')) ?? '';
      if (myself.split(' ')[3] === id) return node;
    }
    throw new Error('it has no replica');
  }

  /** Before that it refuses to be a master. */
  async hasCopied({ client }: ClusterNode): Promise<void> {
    await until(async () => (await client.info('replication')).includes('master_link_status:up'));
  }

  /** A planned change. The servers give one up without a word when they do not agree in time, so it is asked for again. */
  async promote(replica: ClusterNode): Promise<void> {
    const isMaster = async (): Promise<boolean> => (await slotRanges(replica)).length > 0;
    await this.hasCopied(replica);
    let askedAt = Number.NEGATIVE_INFINITY;
    await until(
      async () => {
        if (await isMaster()) return true;
        if (performance.now() - askedAt > PROMOTION_LIMIT_MS) {
          askedAt = performance.now();
          await replica.client.call('CLUSTER', 'FAILOVER').catch(() => '');
        }
        return false;
      },
      4 * PROMOTION_LIMIT_MS,
      'the replica is a master',
    );
  }

  async masters(): Promise<ClusterNode[]> {
    const with_ = await Promise.all(
      this.nodes.map(async (node) => ({ node, isMaster: (await slotRanges(node)).length > 0 })),
    );
    return with_.filter(({ isMaster }) => isMaster).map(({ node }) => node);
  }

  /** All servers that run take the cluster for whole, and have the same one in mind. */
  async agreed(): Promise<void> {
    const running = this.nodes.filter(({ server }) => server.isRunning);
    await until(
      async () => {
        const infos = await Promise.all(running.map((node) => textOf(node, 'INFO')));
        return infos.every(
          (info) => /cluster_state:ok/.test(info) && info.includes(`cluster_known_nodes:${this.nodes.length}`),
        );
      },
      FORMED_LIMIT_MS,
      'the cluster agrees',
    );
  }

  async setNodeTimeout(ms = NODE_TIMEOUT_MS): Promise<void> {
    for (const { server, client } of this.nodes)
      if (server.isRunning) await client.config('SET', 'cluster-node-timeout', ms);
  }

  async flush(): Promise<void> {
    for (const node of await this.masters()) await node.client.flushall().catch(() => '');
  }

  async stop(): Promise<void> {
    await Promise.all(this.nodes.map(({ server }) => server.stop()));
  }

  private async form(): Promise<void> {
    const [masters, replicas] = [this.nodes.slice(0, MASTER_COUNT), this.nodes.slice(MASTER_COUNT)];
    const share = Math.ceil(SLOT_COUNT / MASTER_COUNT);
    for (const [n, { client }] of masters.entries()) {
      const last = Math.min((n + 1) * share, SLOT_COUNT) - 1;
      await client.call('CLUSTER', 'ADDSLOTSRANGE', n * share, last);
      await client.call('CLUSTER', 'SET-CONFIG-EPOCH', n + 1);
    }
    for (const node of this.nodes.slice(1)) {
      const { host, port } = node.server.address;
      await this.nodes[0]?.client.call('CLUSTER', 'MEET', host, port, node.busPort);
    }
    await this.agreed();
    for (const [n, replica] of replicas.entries()) {
      const master = masters[n];
      if (master !== undefined) await replica.client.call('CLUSTER', 'REPLICATE', await idOf(master));
    }
    await until(
      async () => {
        const infos = await Promise.all(replicas.map(({ client }) => client.info('replication')));
        return infos.every((info) => info.includes('master_link_status:up'));
      },
      FORMED_LIMIT_MS,
      'the replicas follow',
    );
    await until(
      async () => {
        const views = await Promise.all(this.nodes.map((node) => textOf(node, 'NODES')));
        return views.every((view) => view.split('\n').filter((line) => / (?:myself,)?slave /.test(line)).length === 3);
      },
      FORMED_LIMIT_MS,
      'everybody knows the replicas',
    );
    await this.agreed();
  }
}

export async function idOf(node: ClusterNode): Promise<string> {
  return textOf(node, 'MYID');
}

async function textOf(node: ClusterNode, what: string): Promise<string> {
  return String(await node.client.call('CLUSTER', what).catch(() => ''));
}

async function slotRanges(node: ClusterNode): Promise<[number, number][]> {
  if (!node.server.isRunning) return [];
  const myself = (await textOf(node, 'NODES')).split('\n').find((line) => line.includes('myself')) ?? '';
  const ranges = myself
    .split(' ')
    .slice(8)
    .filter((part) => /^\d/.test(part));
  return ranges.map((range) => {
    const [first = 0, last = first] = range.split('-').map(Number);
    return [first, last];
  });
}

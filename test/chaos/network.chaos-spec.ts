import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import type { EngineChoice } from '../support/engine-set.js';
import { TcpProxy } from '../support/tcp-proxy.js';
import {
  chosen,
  endsWithTest,
  FAULT_MS,
  keepsItsPromiseUnder,
  startCluster,
  startEngines,
  TEST_LIMIT_MS,
  type Fault,
  type World,
} from './chaos-run.js';

const COMBINATIONS: Readonly<Record<string, EngineChoice>> = {
  'kafka-mariadb': { transport: 'kafka', store: 'mariadb', wired: true },
  'rocketmq-mariadb': { transport: 'rocketmq', store: 'mariadb', wired: true },
};
/** Above what a healthy network ever takes, below the service's own limits. */
const SLOW_MS = 300;

/** Between one process and what it shares with the others. */
interface Wires {
  readonly redis: TcpProxy;
  readonly database: TcpProxy;
}

interface WiredWorld extends World {
  readonly wires: ReadonlyMap<string, Wires>;
}

describe.each(chosen(COMBINATIONS))('two gateways and three workers on %s', (name, choice) => {
  it(
    'lose, double and invert nothing while the network between them fails',
    async () => {
      const [engines, env] = await startEngines(choice);
      const wires = new Map<string, Wires>();
      const envOf = async (member: string): Promise<Record<string, string>> => {
        const own = {
          redis: await wireBefore(engines.redis.address.port),
          database: await wireBefore(engines.database.port),
        };
        wires.set(member, own);
        return {
          REDIS_URL: throughPort(env['REDIS_URL'], own.redis.port),
          DATABASE_URL: throughPort(env['DATABASE_URL'], own.database.port),
        };
      };
      const cluster = await startCluster({ env, envOf, wired: true });
      await keepsItsPromiseUnder(name, { engines, cluster }, faultsOn({ engines, cluster, wires }));
      // A run without trouble would have shown nothing.
      const events = (of: 'gateways' | 'workers', event: string): number =>
        cluster[of].flatMap((one) => one.events(event)).length;
      if (engines.broker.wires.length > 0) expect(events('gateways', 'event.publish_failed')).toBeGreaterThan(0);
      expect(events('gateways', 'guard.lost')).toBeGreaterThan(0);
      expect(events('workers', 'guard.lost')).toBeGreaterThan(0);
    },
    TEST_LIMIT_MS,
  );
});

async function wireBefore(port: number): Promise<TcpProxy> {
  const wire = await TcpProxy.before(port);
  endsWithTest(() => wire.close());
  return wire;
}

function throughPort(url: string | undefined, port: number): string {
  const through = new URL(url ?? '');
  through.port = String(port);
  return through.href;
}

const part = (proxy: TcpProxy): void => proxy.part();
const slow = (proxy: TcpProxy): void => void (proxy.delayMs = SLOW_MS);
const swallow = (proxy: TcpProxy): void => void (proxy.isSwallowing = true);
const hold = (proxy: TcpProxy): void => void (proxy.isHolding = true);

function faultsOn({ engines, cluster, wires }: WiredWorld): Fault[] {
  const of = (name: string): Wires => wires.get(name)!;
  const all = (part: keyof Wires): TcpProxy[] => [...wires.values()].map((own) => own[part]);
  const guardsOfGateways = [of('gateway-1').redis, of('gateway-2').redis];
  const { wires: broker } = engines.broker;
  return [
    fault('answers to WeCom are lost on one gateway', cluster.fronts.slice(0, 1), swallow),
    fault('a worker is cut off from Redis', [of('worker-1').redis], part),
    fault('a worker is cut off from the database', [of('worker-2').database], part),
    fault('a worker is cut off from both', [of('worker-3').redis, of('worker-3').database], part),
    fault('both gateways are cut off from Redis', guardsOfGateways, part),
    fault('the database commits, and no worker hears it', all('database'), swallow),
    fault('Redis answers, and no gateway hears it', guardsOfGateways, swallow),
    fault('everything is slow', [...broker, ...all('redis'), ...all('database')], slow),
    fault("a worker's network stands still past every lease", Object.values(of('worker-1')), hold, 1.5),
    fault('callbacks stand still on their way', cluster.fronts, hold, 0.5),
    ...faultsBefore(broker),
  ];
}

function faultsBefore(broker: readonly TcpProxy[]): Fault[] {
  if (broker.length === 0) return [];
  return [
    fault('the broker acknowledges, and nobody hears it', broker, swallow),
    fault("the broker's network stands still, and goes on where it was", broker, hold),
    fault('the broker is away for long', broker, part, 3),
  ];
}

function fault(what: string, proxies: readonly TcpProxy[], begin: (proxy: TcpProxy) => void, share = 1): Fault {
  const run = async (): Promise<void> => {
    proxies.forEach(begin);
    await pause(FAULT_MS * share);
    for (const proxy of proxies) proxy.heal();
  };
  return { what, ms: FAULT_MS * share, run };
}

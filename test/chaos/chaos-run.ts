import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { Cluster, type ClusterOptions, type Member } from '../support/cluster.js';
import { EngineSet, type EngineChoice } from '../support/engine-set.js';
import { faultsOf, NO_FAULTS } from '../support/simulator-run.js';
import { until } from '../support/until.js';

/** Distinct events of a run. */
export const COUNT = Number(process.env['CHAOS_COUNT'] ?? 20_000);
export const FAULT_MS = Number(process.env['CHAOS_FAULT_MS'] ?? 20_000);
/** Load between two faults, so that each one finds work in hand. */
const BETWEEN_MS_MIN = FAULT_MS / 4;
/** Deliveries a second at most, for engines that cannot keep up with what the faults leave time for; 0: no limit. */
const RATE_MAX = Number(process.env['CHAOS_RATE'] ?? 0);
/** Deliveries an event with `--duplicates 3`. */
const DELIVERIES = 2.5;
/** Names of combinations, separated by commas; all of them if not set. */
const ONLY = process.env['CHAOS_ENGINES']?.split(',');
/** How long a process, a broker or a database takes to come back on a busy machine. */
export const START_MS = 10_000;
const LEASE_MAX_LIFE_MS = 10_000;
/** All that was in hand comes back within its lease; then it has to be worked off. */
const QUIET_LIMIT_MS = LEASE_MAX_LIFE_MS + 60_000;
const END_LIMIT_MS = 120_000;
const WAITING = "event_log WHERE status IN ('RETRY', 'PARKED', 'DEAD', 'REDRIVEN')";

const LOAD_MS_MIN = RATE_MAX > 0 ? (COUNT * DELIVERIES * 1_000) / RATE_MAX : 0;
export const TEST_LIMIT_MS = FAULT_MS * 20 + COUNT * 90 + LOAD_MS_MIN + 600_000;
const PREFIX = 'c1';
const SETTINGS = {
  RETRY_DELAYS: '200,400,800',
  LEASE_TTL_MS: '3000',
  LEASE_MAX_LIFE_MS: String(LEASE_MAX_LIFE_MS),
};

export interface World {
  readonly engines: EngineSet;
  readonly cluster: Cluster;
}

export interface Fault {
  readonly what: string;
  /** About how long it takes. */
  readonly ms: number;
  readonly run: () => Promise<unknown>;
}

export function chosen(combinations: Readonly<Record<string, EngineChoice>>): [name: string, choice: EngineChoice][] {
  return Object.entries(combinations).filter(([name]) => ONLY?.includes(name) ?? true);
}

/** Engines for this test, and the settings with which processes find them. */
export async function startEngines(choice: EngineChoice): Promise<[engines: EngineSet, env: Record<string, string>]> {
  const engines = await EngineSet.start(choice);
  endsWithTest(() => engines.stop());
  return [engines, { ...SETTINGS, ...(await engines.env(PREFIX)) }];
}

export async function startCluster(options: Pick<ClusterOptions, 'env' | 'envOf' | 'wired'>): Promise<Cluster> {
  const cluster = await Cluster.start({ ...options, gateways: 2, workers: 3 });
  endsWithTest(() => cluster.stop());
  return cluster;
}

/** However the test ends; the last to come ends first. */
export function endsWithTest(end: () => unknown): void {
  onTestFinished(async () => void (await end()), END_LIMIT_MS);
}

/** Load on the whole cluster with the faults one after another; then everything has to be settled, once, in order. */
export async function keepsItsPromiseUnder(name: string, world: World, faults: readonly Fault[]): Promise<void> {
  const { engines, cluster } = world;
  const before = usageOf(cluster);
  const faultsMs = faults.reduce((sum, { ms }) => sum + ms, 0);
  const betweenMs = Math.max(BETWEEN_MS_MIN, (LOAD_MS_MIN - faultsMs) / (faults.length + 1));
  // Spread over the faults and the time between them.
  const rate = Math.ceil((COUNT * DELIVERIES * 1_000) / (faultsMs + betweenMs * (faults.length + 1)));
  const startedAt = performance.now();
  const load = ['--count', String(COUNT), '--duplicates', '3', '--shuffle', '--rate', String(rate)];
  const patience = ['--retry-after', '1000', '--retries', '100', '--settle-timeout', '300'];
  let isOver = false;
  const simulation = cluster.simulate(...load, ...patience).finally(() => (isOver = true));
  simulation.catch(() => undefined);
  for (const { what, run } of faults) {
    await pause(betweenMs);
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
}

export async function dieAndComeBack(member: Member, afterMs: number): Promise<void> {
  await member.kill();
  await pause(afterMs);
  await member.start();
}

export async function hang(victim: { pause(): void; resume(): void }, ms: number): Promise<void> {
  victim.pause();
  await pause(ms);
  victim.resume();
}

async function isQuiet({ engines, cluster }: World): Promise<boolean> {
  if ((await cluster.spooled()) > 0 || (await count(engines, WAITING)) > 0) return false;
  return (await engines.broker.backlog(PREFIX)) === 0;
}

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

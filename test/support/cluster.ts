import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { freePort } from './free-port.js';
import { GatewayProcess, type LogLine } from './gateway-process.js';
import { runSimulator, type SimulatorResult } from './simulator-run.js';
import { TcpProxy } from './tcp-proxy.js';

const MIGRATE = resolve(import.meta.dirname, '../../dist/src/migrate.js');

export const CLUSTER_APP = {
  token: 'ClusterToken',
  encodingAESKey: 'kWxPEV2UEDyxWpmPdKC3F4dgPDmOvfKX1HGnEUDS1aR',
  receiveId: 'wwcluster0000000001',
};
export const CLUSTER_APP_NAME = 'crm';
/** Six processes start at once, on a machine that runs three servers too. */
const START_LIMIT_MS = 180_000;

type ClusterRole = 'gateway' | 'worker' | 'admin';

export interface ClusterOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly gateways: number;
  readonly workers: number;
  /** Settings of one process beyond `env`; `gateway-1`, `worker-3`, `admin-1`. */
  readonly envOf?: (name: string) => Promise<Record<string, string>>;
  /** A TCP proxy before each gateway, which WeCom's callbacks pass. */
  readonly wired?: boolean;
}

/** One process of the cluster, with a data folder and ports that outlive it. */
export class Member {
  /** Log lines of all its lives. */
  readonly lines: LogLine[] = [];
  process: GatewayProcess | null = null;

  constructor(
    readonly role: ClusterRole,
    readonly dataDir: string,
    private readonly env: Readonly<Record<string, string>>,
  ) {}

  /** Also again after `kill`: with the same folder, and so with the spool that the life before left. */
  async start(): Promise<void> {
    this.process = await GatewayProcess.start(this.dataDir, this.env, START_LIMIT_MS);
  }

  async kill(): Promise<void> {
    await this.process?.kill();
    this.ended();
  }

  /** Resolves with the exit code. */
  async stop(): Promise<number | null> {
    const code = (await this.process?.stop()) ?? null;
    this.ended();
    return code;
  }

  /** Stands still, as a machine does that swaps or is moved; its leases run out. */
  pause(): void {
    this.process?.child.kill('SIGSTOP');
  }

  resume(): void {
    this.process?.child.kill('SIGCONT');
  }

  /** Of the callbacks. */
  get port(): number {
    return Number(this.env['PORT']);
  }

  get running(): GatewayProcess {
    if (!this.process) throw new Error(`the ${this.role} in ${this.dataDir} does not run`);
    return this.process;
  }

  /** Of this life and those before. */
  events(name: string): LogLine[] {
    return [...this.lines, ...(this.process?.lines ?? [])].filter(({ event }) => event === name);
  }

  /** The sum of a counter or gauge over its labels; 0 when it was never written. */
  async metric(name: string, labels = ''): Promise<number> {
    const text = await (await fetch(`${this.running.adminBase}/metrics`)).text();
    const values = text.split('\n').filter((line) => new RegExp(`^${name}[{ ]`).test(line) && line.includes(labels));
    return values.reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(' ') + 1)), 0);
  }

  async health(): Promise<{ ready: boolean; parts: Record<string, { status: string }> }> {
    const response = await fetch(`${this.running.adminBase}/health`);
    return (await response.json()) as { ready: boolean; parts: Record<string, { status: string }> };
  }

  /** Resident memory in MB, and open handles. */
  get usage(): { rssMb: number; handles: number } {
    const { pid } = this.running.child;
    const [, kb] = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, 'utf8')) ?? [];
    return { rssMb: Math.round(Number(kb) / 1_024), handles: readdirSync(`/proc/${pid}/fd`).length };
  }

  private ended(): void {
    this.lines.push(...(this.process?.lines ?? []));
    this.process = null;
  }
}

/** The service as several processes over engines that they share: migrated, with every process started. */
export class Cluster {
  private constructor(
    readonly folder: string,
    readonly gateways: readonly Member[],
    readonly workers: readonly Member[],
    readonly admin: Member,
    /** Before the gateways, in their order, when `wired` was asked for. */
    readonly fronts: readonly TcpProxy[],
  ) {}

  static async start({ env, gateways, workers, envOf, wired = false }: ClusterOptions): Promise<Cluster> {
    const folder = await mkdtemp(join(tmpdir(), 'wecom-cluster-'));
    const appsFile = join(folder, 'apps.json');
    await writeFile(appsFile, JSON.stringify({ [CLUSTER_APP_NAME]: CLUSTER_APP }));
    const member = async (role: ClusterRole, index: number): Promise<Member> => {
      const name = `${role}-${index + 1}`;
      const dataDir = join(folder, name);
      await mkdir(dataDir);
      const [port, adminPort] = [await freePort(), await freePort()];
      const own = { ROLE: role, INSTANCE: name, PORT: String(port), ADMIN_PORT: String(adminPort) };
      return new Member(role, dataDir, {
        ...env,
        ...own,
        ...(await envOf?.(name)),
        ...(role === 'gateway' ? { WECOM_APPS_FILE: appsFile } : {}),
      });
    };
    const members = (role: ClusterRole, count: number): Promise<Member[]> =>
      Promise.all(Array.from({ length: count }, (_, index) => member(role, index)));
    const edge = await members('gateway', gateways);
    const fronts = wired ? await Promise.all(edge.map(({ port }) => TcpProxy.before(port))) : [];
    const cluster = new Cluster(folder, edge, await members('worker', workers), await member('admin', 0), fronts);
    try {
      await migrate({ ...env, DATA_DIR: cluster.admin.dataDir });
      await Promise.all(cluster.members.map((one) => one.start()));
    } catch (error) {
      await cluster.stop();
      throw error;
    }
    return cluster;
  }

  get members(): readonly Member[] {
    return [...this.gateways, ...this.workers, this.admin];
  }

  /** Plays WeCom against all gateways and asks the admin what became of it. `flags` are the simulator's. */
  simulate(...flags: readonly string[]): Promise<SimulatorResult> {
    const targets = this.gateways.flatMap(({ running }, index) => {
      const front = this.fronts[index];
      return ['--target', front ? `http://127.0.0.1:${front.port}` : running.callbackBase];
    });
    const { running, dataDir } = this.admin;
    // The handler that fails on purpose belongs to the demo app.
    const app = ['--apps', join(this.folder, 'apps.json'), '--app', CLUSTER_APP_NAME, '--fail-share', '0'];
    return runSimulator([...targets, '--admin', running.adminBase, '--data', dataDir, ...app, ...flags]);
  }

  async sum(members: readonly Member[], metric: string, labels = ''): Promise<number> {
    const values = await Promise.all(members.map((one) => one.metric(metric, labels)));
    return values.reduce((sum, value) => sum + value, 0);
  }

  async spooled(): Promise<number> {
    return this.sum(this.gateways, 'wecom_spool_messages');
  }

  async stop(): Promise<void> {
    await Promise.all(this.members.map((one) => one.kill()));
    await Promise.all(this.fronts.map((front) => front.close()));
    await rm(this.folder, { recursive: true, force: true });
  }
}

/** Makes the tables, as the operator does before a start. */
export async function migrate(env: Readonly<Record<string, string>>): Promise<void> {
  const child = spawn(process.execPath, [MIGRATE], { env: { PATH: process.env['PATH'], ...env }, stdio: 'inherit' });
  const [code] = (await once(child, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`the migration ended with ${code}`);
}

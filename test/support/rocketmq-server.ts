import { execFile, spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync } from 'node:fs';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Launch } from '../services/launch.js';
import { accepts } from '../services/ports.js';
import {
  adminTool,
  brokerAndProxy,
  configureRocketMq,
  nameServer,
  ROCKETMQ_JARS,
  rocketMqAnswers,
  rocketMqJars,
  type RocketMqPorts,
  type TopicsAndGroups,
} from '../services/rocketmq-engine.js';
import { until } from './until.js';

// Ten seconds on an idle machine; two minutes were measured on a busy one.
const READY_LIMIT_MS = 300_000;
/** For the hooks that start one. */
export const ROCKETMQ_START_LIMIT_MS = 360_000;
const missing = [
  ...(isThere('java', '-version') ? [] : ['java']),
  ...(existsSync(ROCKETMQ_JARS) || isThere('mvn', '-v') ? [] : ['mvn']),
];

function isThere(program: string, versionFlag: string): boolean {
  return spawnSync(program, [versionFlag]).status === 0;
}

/** A suite that needs a real RocketMQ: skipped without Java, loudly, and failed where CI should have brought it. */
export function describeWithRocketMq(name: string, suite: () => void): void {
  if (missing.length === 0) {
    describe(name, suite);
    return;
  }
  const hint = `no ${missing.join(' and ')} on this machine, so "${name}" cannot run: apt-get install openjdk-17-jre-headless maven`;
  if (process.env['CI']) {
    describe(name, () => it('finds Java and Maven', () => expect.fail(hint)));
    return;
  }
  console.warn(`SKIPPED: ${hint}`);
  describe.skip(name, suite);
}

/**
 * A real name server, and a real broker with its proxy in one process, on free loopback ports and a folder of their own.
 * Topics and groups are written before the first start: `mqadmin` takes five seconds a call.
 */
export class RocketMqServer {
  private namesrv: ChildProcess | null = null;
  private broker: ChildProcess | null = null;

  private constructor(
    readonly folder: string,
    readonly ports: RocketMqPorts,
    readonly wanted: TopicsAndGroups,
  ) {}

  static async start(wanted: TopicsAndGroups): Promise<RocketMqServer> {
    await rocketMqJars();
    const folder = await mkdtemp(join(tmpdir(), 'wecom-rocketmq-'));
    const server = new RocketMqServer(folder, await freePorts(), wanted);
    await configureRocketMq(server);
    try {
      server.namesrv = await server.launch('namesrv', nameServer(server));
      await until(() => accepts(server.ports.namesrv), READY_LIMIT_MS, 'the name server accepts');
      await server.run();
    } catch (error) {
      await server.stop();
      throw error;
    }
    return server;
  }

  get endpoints(): string {
    return `127.0.0.1:${this.ports.grpc}`;
  }

  get isRunning(): boolean {
    return this.broker !== null;
  }

  /** Starts broker and proxy, also again after `kill`: on the same ports and data. */
  async run(): Promise<void> {
    this.broker = await this.launch('broker', brokerAndProxy(this));
    await until(() => rocketMqAnswers(this), READY_LIMIT_MS, 'a client can start');
  }

  /** Stops answering, as a machine that hangs does; its sockets still accept. */
  pause(): void {
    this.broker?.kill('SIGSTOP');
  }

  resume(): void {
    this.broker?.kill('SIGCONT');
  }

  /** Broker and proxy end at once; what they had acknowledged is on the disk. */
  async kill(): Promise<void> {
    const { broker } = this;
    this.broker = null;
    await end(broker);
  }

  async stop(): Promise<void> {
    const { namesrv } = this;
    this.namesrv = null;
    await Promise.all([this.kill(), end(namesrv)]);
    await rm(this.folder, { recursive: true, force: true, maxRetries: 5 });
  }

  /** One call of the broker's own administration tool; five to eight seconds. */
  async admin(...args: string[]): Promise<string> {
    const { command, args: all, env } = adminTool(this, args);
    const { stdout, stderr } = await promisify(execFile)(command, all, { env: { ...process.env, ...env } });
    // It ends with 0 whatever happens, and says nothing but a trace.
    if (stdout.trim() === '') throw new Error(`mqadmin ${args.join(' ')}: ${stderr.slice(0, 1_000)}`);
    return stdout;
  }

  private async launch(name: string, { command, args, env }: Launch): Promise<ChildProcess> {
    const log = createWriteStream(join(this.folder, `${name}.out`), { flags: 'a' });
    await once(log, 'open');
    const child = spawn(command, args, { env: { ...process.env, ...env }, stdio: ['ignore', log, log] });
    log.close();
    // A test run that is cut off must leave no server behind.
    const killIt = (): void => void child.kill('SIGKILL');
    process.once('exit', killIt);
    child.once('exit', () => process.removeListener('exit', killIt));
    return child;
  }
}

async function end(child: ChildProcess | null): Promise<void> {
  if (child === null || child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, 'exit');
  child.kill('SIGKILL');
  await exit;
}

/** The broker takes the port two below its own and the one above for other purposes. */
async function freePorts(): Promise<RocketMqPorts> {
  for (;;) {
    const base = 20_000 + 10 * Math.floor(Math.random() * 1_200);
    const numbers = [base, base + 2, base + 3, base + 4, base + 5, base + 6, base + 7];
    const held = await Promise.all(numbers.map(hold));
    await Promise.all(held.map(letGo));
    if (held.every((server) => server !== null)) {
      return { broker: base + 2, namesrv: base + 5, grpc: base + 6, remoting: base + 7 };
    }
  }
}

async function hold(port: number): Promise<Server | null> {
  return new Promise((resolve) => {
    const server = createServer();
    server.once('error', () => resolve(null)).listen(port, () => resolve(server));
  });
}

async function letGo(server: Server | null): Promise<void> {
  if (server !== null) await new Promise((resolve) => server.close(resolve));
}

/** What a test reads in a folder of the server, such as a log. */
export function readText(server: RocketMqServer, ...path: string[]): Promise<string> {
  return readFile(join(server.folder, ...path), 'utf8');
}

import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { TestCredentials } from './sealer.js';
import { until } from './until.js';

const MAIN = resolve(import.meta.dirname, '../../dist/src/main.js');
const START_LIMIT_MS = 60_000;

export type LogLine = Record<string, unknown> & { event: string };

/** The built service as a process of its own, on free ports, as `npm start` runs it. */
export class GatewayProcess {
  readonly lines: LogLine[] = [];
  /** Whatever the process wrote that is no log line. */
  raw = '';
  callbackBase = '';
  adminBase = '';

  private constructor(
    readonly child: ChildProcess,
    readonly dataDir: string,
  ) {}

  static async start(
    dataDir: string,
    env: Record<string, string> = {},
    limitMs = START_LIMIT_MS,
  ): Promise<GatewayProcess> {
    const gateway = GatewayProcess.spawn(dataDir, env);
    const isOver = (): boolean => gateway.lineOf('service.started') !== undefined || gateway.child.exitCode !== null;
    await until(isOver, limitMs).catch(() => undefined);
    const started = gateway.lineOf('service.started');
    if (!started) {
      await gateway.kill();
      const said = gateway.lines.slice(-20).map((line) => JSON.stringify(line));
      throw new Error(`the service did not start within ${limitMs} ms:\n${gateway.raw}${said.join('\n')}`);
    }
    gateway.adminBase = new URL(String(started['health'])).origin;
    const ready = gateway.lineOf('app.ready');
    // Roles without callbacks have no such port.
    if (ready) gateway.callbackBase = new URL(String(ready['url'])).origin;
    return gateway;
  }

  static spawn(dataDir: string, env: Record<string, string> = {}): GatewayProcess {
    const child = spawn(process.execPath, [MAIN], {
      env: { PATH: process.env['PATH'], PORT: '0', ADMIN_PORT: '0', DATA_DIR: dataDir, HOST: '127.0.0.1', ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const gateway = new GatewayProcess(child, dataDir);
    let rest = '';
    child.stdout.on('data', (chunk: Buffer) => {
      const parts = (rest + chunk.toString()).split('\n');
      rest = parts.pop() ?? '';
      for (const part of parts) gateway.take(part);
    });
    child.stderr.on('data', (chunk: Buffer) => (gateway.raw += chunk.toString()));
    return gateway;
  }

  lineOf(event: string): LogLine | undefined {
    return this.lines.find((line) => line.event === event);
  }

  get demo(): TestCredentials {
    const file = JSON.parse(readFileSync(join(this.dataDir, 'demo.json'), 'utf8')) as { demo: TestCredentials };
    return file.demo;
  }

  /** Without `token` as the holder of the file `admin-token`. */
  async admin(path: string, body?: unknown, token = this.adminToken): Promise<{ status: number; json: any }> {
    const response = await fetch(`${this.adminBase}/admin/api/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: await response.json() };
  }

  private get adminToken(): string {
    return readFileSync(join(this.dataDir, 'admin-token'), 'utf8').trim();
  }

  /** `kill -9`: nothing is said, nothing is flushed. */
  async kill(): Promise<void> {
    await this.signal('SIGKILL');
  }

  /** Resolves with the exit code. */
  async stop(): Promise<number | null> {
    return this.signal('SIGTERM');
  }

  private async signal(signal: NodeJS.Signals): Promise<number | null> {
    if (this.child.exitCode === null && this.child.signalCode === null) {
      const exit = once(this.child, 'exit');
      this.child.kill(signal);
      await exit;
    }
    return this.child.exitCode;
  }

  private take(text: string): void {
    try {
      this.lines.push(JSON.parse(text) as LogLine);
    } catch {
      this.raw += `${text}\n`;
    }
  }
}

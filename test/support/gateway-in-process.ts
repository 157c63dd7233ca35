import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import { startGateway, type RunningGateway } from '../../src/gateway-app.js';
import type { GatewayOptions } from '../../src/wecom-gateway.module.js';
import { ADMIN_TOKEN, configSources } from './config-sources.js';

/** The whole service inside the test's process, on free ports and a folder of its own. */
export class GatewayInProcess {
  readonly callbackBase: string;
  readonly adminBase: string;

  private constructor(
    readonly gateway: RunningGateway,
    readonly dataDir: string,
  ) {
    this.callbackBase = `http://127.0.0.1:${gateway.port}`;
    this.adminBase = `http://127.0.0.1:${gateway.adminPort}`;
  }

  static async start(
    env: Record<string, string>,
    options: Omit<GatewayOptions, 'config'> = {},
  ): Promise<GatewayInProcess> {
    return GatewayInProcess.startIn(await mkdtemp(join(tmpdir(), 'wecom-gateway-')), env, options);
  }

  /** On a folder that an earlier one left. */
  static async startIn(
    dataDir: string,
    env: Record<string, string>,
    options: Omit<GatewayOptions, 'config'> = {},
  ): Promise<GatewayInProcess> {
    const config = loadConfig(configSources(dataDir, env, (path) => readFileSync(path, 'utf8')));
    return new GatewayInProcess(await startGateway({ config, ...options }), dataDir);
  }

  async admin(path: string, body?: unknown, token = ADMIN_TOKEN): Promise<{ status: number; json: any }> {
    const response = await fetch(`${this.adminBase}/admin/api/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, json: await response.json() };
  }

  /** Nothing on the transport, and no row that will run by itself. */
  async isSettled(): Promise<boolean> {
    const { json } = await this.admin('summary');
    const waiting = ['RETRY', 'PARKED', 'REDRIVEN'].some((status) => Number(json.statuses[status] ?? 0) > 0);
    return !waiting && json.backlog.events === 0 && json.spool.depth === 0;
  }

  async stop(): Promise<void> {
    await this.gateway.stop();
    await rm(this.dataDir, { recursive: true, force: true });
  }
}

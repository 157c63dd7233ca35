import { Test } from '@nestjs/testing';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/load-config.js';
import type { Role } from '../../src/config/roles.js';
import { gatewayAdapter } from '../../src/gateway-adapter.js';
import { runApp, type RunningGateway } from '../../src/gateway-app.js';
import { createLogger, NestLogger } from '../../src/observability/logger.js';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { SqliteTransport } from '../../src/transport/sqlite/sqlite-transport.js';
import { Transport } from '../../src/transport/transport.js';
import { WecomGatewayModule, type GatewayOptions } from '../../src/wecom-gateway.module.js';
import { BorrowedTransport } from './borrowed-transport.js';
import { ADMIN_TOKEN, configSources } from './config-sources.js';
import type { TestCredentials } from './sealer.js';

export interface RoleOptions extends Omit<GatewayOptions, 'config'> {
  readonly dataDir: string;
  readonly apps: Readonly<Record<string, TestCredentials>>;
  readonly env?: Readonly<Record<string, string>>;
}

export function openSharedTransport(folder: string): SqliteTransport {
  const options = { path: join(folder, 'shared-queue.sqlite'), groupCommitMax: 1_000, defaultComeBackMs: 100 };
  const transport = new SqliteTransport(new SystemClock(), options);
  transport.open();
  return transport;
}

/**
 * One role of the service, wired and run by the code that `startGateway` runs, on a transport that the test shares among
 * roles. With the embedded transport the settings refuse gateways and workers: so that no test of a role needs a broker,
 * they are read as for all roles, and the role is set afterwards.
 */
export class RoleInProcess {
  readonly adminBase: string;
  readonly callbackBase: string;

  private constructor(
    private readonly running: RunningGateway,
    readonly transport: BorrowedTransport,
  ) {
    this.adminBase = `http://127.0.0.1:${running.adminPort}`;
    this.callbackBase = `http://127.0.0.1:${running.port ?? 0}`;
  }

  static async start(
    role: Role,
    shared: Transport,
    { dataDir, apps, env, ...rest }: RoleOptions,
  ): Promise<RoleInProcess> {
    const settings = { WECOM_APPS_FILE: 'apps', ...env };
    const read = loadConfig(configSources(dataDir, settings, () => JSON.stringify(apps)));
    const config = { ...read, role };
    const transport = new BorrowedTransport(shared);
    const module = await Test.createTestingModule({ imports: [WecomGatewayModule.forRoot({ config, ...rest })] })
      .overrideProvider(Transport)
      .useValue(transport)
      .setLogger(new NestLogger(createLogger('error', config.instance)))
      .compile();
    const app = module.createNestApplication<NestFastifyApplication>(gatewayAdapter(config), { bodyParser: false });
    return new RoleInProcess(await runApp(app, config), transport);
  }

  get port(): number | null {
    return this.running.port;
  }

  /** A provider of the app, or null where the role has none. */
  find<T>(token: Parameters<NestFastifyApplication['get']>[0]): T | null {
    try {
      return this.running.app.get<T>(token, { strict: false });
    } catch {
      return null;
    }
  }

  async get(path: string, base = this.adminBase): Promise<{ status: number; text: string }> {
    const headers = { authorization: `Bearer ${ADMIN_TOKEN}`, connection: 'close' };
    const response = await fetch(`${base}${path}`, { headers });
    return { status: response.status, text: await response.text() };
  }

  async admin(path: string, body?: unknown): Promise<any> {
    const response = await fetch(`${this.adminBase}/admin/api/v1/${path}`, {
      method: body === undefined ? 'GET' : 'POST',
      headers: { authorization: `Bearer ${ADMIN_TOKEN}`, 'content-type': 'application/json', connection: 'close' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return response.json();
  }

  async ready(base = this.adminBase): Promise<{ status: number; parts: Record<string, { status: string }> }> {
    const { status, text } = await this.get('/health', base);
    return { status, parts: (JSON.parse(text) as { parts: Record<string, { status: string }> }).parts };
  }

  stop(): Promise<void> {
    return this.running.stop();
  }
}

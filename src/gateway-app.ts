import { NestFactory } from '@nestjs/core';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { fileURLToPath } from 'node:url';
import { serveAdminDocs } from './admin/admin-docs.js';
import { prepareAdminPort } from './admin/admin-http.js';
import { serveConsole } from './admin/console.js';
import { announceSetup } from './announce-setup.js';
import type { Config } from './config/config.js';
import { partsOf } from './config/roles.js';
import { DataFolderLock } from './database/sqlite/data-folder-lock.js';
import { gatewayAdapter } from './gateway-adapter.js';
import { HealthRegistry } from './observability/health-registry.js';
import { markAdminServer } from './observability/listener.js';
import { createLogger, NestLogger } from './observability/logger.js';
import { Metrics } from './observability/metrics.js';
import { registerProcessMetrics } from './process-metrics.js';
import { Clock } from './runtime/clock.js';
import { Disk } from './runtime/disk.js';
import { DEAD_LETTERS_PATTERN, EVENTS_PATTERN } from './transport/topics.js';
import { TransportServer } from './transport/transport-server.js';
import { Transport } from './transport/transport.js';
import { WecomGatewayModule, type GatewayOptions } from './wecom-gateway.module.js';

export interface RunningGateway {
  readonly app: NestFastifyApplication;
  /** Null where the role takes no callbacks. */
  readonly port: number | null;
  readonly adminPort: number;
  /** Readiness off, no new work, work in hand finished or given back within the limit, everything closed. */
  stop(): Promise<void>;
}

const DLQ_BATCH_MAX = 50;
// Beside this file in what is published; in a checkout that is run from its sources, where the build puts it.
const CONSOLE = fileURLToPath(
  new URL(import.meta.url.endsWith('.ts') ? '../dist/console' : '../console', import.meta.url),
);

/** Starts what the configured role has: takes the data folder, wires the modules, opens the ports, begins to consume. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { config } = options;
  // Before the modules: they open the files of the folder.
  const lock = DataFolderLock.take(config.dataDir, holderOf(config));
  return withLock(lock, async () => runApp(await createApp(options), config));
}

function holderOf({ instance }: Config): string {
  return `process ${process.pid} (${instance})`;
}

async function withLock(lock: DataFolderLock, start: () => Promise<RunningGateway>): Promise<RunningGateway> {
  try {
    const running = await start();
    let stopping: Promise<void> | null = null;
    const stop = (): Promise<void> => (stopping ??= running.stop().finally(() => lock.release()));
    return { ...running, stop };
  } catch (error) {
    lock.release();
    throw error;
  }
}

/**
 * Starts a Nest app of your own that imports `WecomGatewayModule` and was made with `gatewayAdapter(config)`: takes the
 * data folder, opens both ports, begins to consume. To be called instead of `app.listen`; end it with `stop`.
 */
export async function runGateway(app: NestFastifyApplication, config: Config): Promise<RunningGateway> {
  const lock = DataFolderLock.take(config.dataDir, holderOf(config));
  return withLock(lock, () => runApp(app, config));
}

/** Starts an app that `createApp` made, or one made of the same module with other adapters. */
export async function runApp(app: NestFastifyApplication, config: Config): Promise<RunningGateway> {
  const parts = partsOf(config.role);
  let admin: Server | null = null;
  // Also when somebody calls `app.close()`: a port that stays open keeps the process alive.
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onClose', () => closed(admin));
  try {
    if (parts.admin) await prepareAdmin(app);
    if (parts.worker) app.connectMicroservice({ strategy: consumers(app, config) }, { inheritAppConfig: false });
    // Handlers are registered first: a consumer that starts before them would record a backlog without any effect.
    await app.init();
    registerProcessMetrics(
      { metrics: app.get(Metrics), health: app.get(HealthRegistry), clock: app.get(Clock), disk: app.get(Disk) },
      config,
    );
    await app.startAllMicroservices();
    if (parts.callbacks) await app.listen(config.port, config.host);
    admin = await listenAdmin(app, config.adminPort, config.adminHost);
    const port = parts.callbacks ? (app.getHttpServer().address() as AddressInfo).port : null;
    const { port: adminPort } = admin.address() as AddressInfo;
    if (parts.admin) await announceSetup(app, config, adminPort);
    return { app, port, adminPort, stop: () => close(app) };
  } catch (error) {
    // A half-started service would go on consuming in the process of whoever embeds it. The first error is the one to tell.
    await app.close().catch(() => undefined);
    throw error;
  }
}

/** What is served beside the routes of the modules. */
async function prepareAdmin(app: NestFastifyApplication): Promise<void> {
  await prepareAdminPort(app);
  serveAdminDocs(app);
  serveConsole(app, CONSOLE);
}

/** Wires the modules; nothing listens and nothing is consumed yet. */
export async function createApp(options: GatewayOptions): Promise<NestFastifyApplication> {
  const { config } = options;
  const logger = new NestLogger(createLogger(config.logLevel, config.instance));
  return NestFactory.create<NestFastifyApplication>(WecomGatewayModule.forRoot(options), gatewayAdapter(config), {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
}

function consumers(app: NestFastifyApplication, config: Config): TransportServer {
  return new TransportServer(app.get(Transport), {
    stopLimitMs: config.shutdownLimitMs,
    topics: {
      [EVENTS_PATTERN]: {
        topic: config.eventsTopic,
        group: config.eventsGroup,
        lanes: config.workerLanes,
        batchSizeMax: config.workerBatchMax,
      },
      [DEAD_LETTERS_PATTERN]: { topic: config.dlqTopic, group: config.dlqGroup, lanes: 1, batchSizeMax: DLQ_BATCH_MAX },
    },
  });
}

/** A second port on the same router; routes name the port that they belong to. */
async function listenAdmin(app: NestFastifyApplication, port: number, host: string): Promise<Server> {
  const fastify = app.getHttpAdapter().getInstance();
  // Listening would wait for its routes; without a callback port nobody else does.
  await fastify.ready();
  const server = createServer((request, response) => fastify.routing(request, response));
  markAdminServer(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

async function close(app: NestFastifyApplication): Promise<void> {
  app.get(HealthRegistry).stop();
  await app.close();
}

async function closed(server: Server | null): Promise<void> {
  if (server === null) return;
  await new Promise((resolve) => {
    server.close(resolve);
    server.closeAllConnections();
  });
}

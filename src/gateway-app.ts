import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveAdminDocs } from './admin/admin-docs.js';
import { DataFolderLock } from './database/sqlite/data-folder-lock.js';
import { HealthRegistry } from './observability/health-registry.js';
import { listenerConstraint, listenerOf, markAdminServer } from './observability/listener.js';
import { createLogger, NestLogger } from './observability/logger.js';
import { DEAD_LETTERS_PATTERN, EVENTS_PATTERN } from './transport/topics.js';
import { TransportServer } from './transport/transport-server.js';
import { Transport } from './transport/transport.js';
import { WecomGatewayModule, type GatewayOptions } from './wecom-gateway.module.js';

export interface RunningGateway {
  readonly app: NestFastifyApplication;
  readonly port: number;
  readonly adminPort: number;
  /** Readiness off, no new work, work in hand finished or given back within the limit, everything closed. */
  stop(): Promise<void>;
}

// A sender that trickles its body must not hold a socket for longer than WeCom would.
const REQUEST_TIMEOUT_MS = 15_000;
const DLQ_BATCH_MAX = 50;

/** Starts the service: takes the data folder, wires the modules, opens both ports, begins to consume. */
export async function startGateway(options: GatewayOptions): Promise<RunningGateway> {
  const { config } = options;
  const lock = DataFolderLock.take(config.dataDir, `process ${process.pid} (${config.instance})`);
  let created: NestFastifyApplication | null = null;
  try {
    const app = (created = await createApp(options));
    serveAdminDocs(app);
    app.connectMicroservice({ strategy: consumers(app, options) }, { inheritAppConfig: false });
    // Handlers are registered first: a consumer that starts before them would record a backlog without any effect.
    await app.init();
    await app.startAllMicroservices();
    await app.listen(config.port, config.host);
    const admin = await listenAdmin(app, config.adminPort, config.adminHost);
    const { port } = app.getHttpServer().address() as AddressInfo;
    const { port: adminPort } = admin.address() as AddressInfo;
    let stopping: Promise<void> | null = null;
    const stop = (): Promise<void> => (stopping ??= close(app, admin, lock));
    return { app, port, adminPort, stop };
  } catch (error) {
    // A half-started service would go on consuming in the process of whoever embeds it. The first error is the one to tell.
    await created?.close().catch(() => undefined);
    lock.release();
    throw error;
  }
}

/** Wires the modules; nothing listens and nothing is consumed yet. */
export async function createApp(options: GatewayOptions): Promise<NestFastifyApplication> {
  const { config } = options;
  const adapter = new FastifyAdapter({
    bodyLimit: config.bodyBytesMax,
    requestTimeout: REQUEST_TIMEOUT_MS,
    skipMiddie: true,
    routerOptions: { constraints: { listener: listenerConstraint } },
  });
  acceptAnyBody(adapter);
  const logger = new NestLogger(createLogger(config.logLevel, config.instance));
  return NestFactory.create<NestFastifyApplication>(WecomGatewayModule.forRoot(options), adapter, {
    logger,
    bodyParser: false,
    abortOnError: false,
  });
}

/** Bytes, whatever Content-Type says: WeCom's is missing or odd at times. Only the admin API reads JSON. */
function acceptAnyBody(adapter: FastifyAdapter): void {
  const fastify = adapter.getInstance();
  fastify.removeAllContentTypeParsers();
  // A header that is no media type at all would be refused (415) before any parser is asked.
  fastify.addHook('onRequest', (request, _reply, done) => {
    if (listenerOf(request.raw) === 'callback') request.raw.headers['content-type'] = 'application/octet-stream';
    done();
  });
  fastify.addContentTypeParser('*', { parseAs: 'buffer' }, (request, body, done) => {
    if (listenerOf(request.raw) === 'callback') {
      done(null, body);
      return;
    }
    try {
      done(null, body.length === 0 ? undefined : JSON.parse(body.toString('utf8')));
    } catch {
      done(Object.assign(new Error('the body is not JSON'), { statusCode: 400 }), undefined);
    }
  });
}

function consumers(app: NestFastifyApplication, { config }: GatewayOptions): TransportServer {
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
  const server = createServer((request, response) => fastify.routing(request, response));
  markAdminServer(server);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  return server;
}

async function close(app: NestFastifyApplication, admin: Server, lock: DataFolderLock): Promise<void> {
  app.get(HealthRegistry).stop();
  await app.close();
  await new Promise((resolve) => {
    admin.close(resolve);
    admin.closeAllConnections();
  });
  lock.release();
}

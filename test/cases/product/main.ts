import 'reflect-metadata';
import type { INestApplicationContext, Type } from '@nestjs/common';
import { announce } from '../../../src/announce.js';
import { ConfigError } from '../../../src/config/config.js';
import { loadConfig } from '../../../src/config/load-config.js';
import { systemConfigSources } from '../../../src/config/system-config-sources.js';
import { startGateway } from '../../../src/gateway-app.js';
import type { WecomHandler } from '../../../src/handlers/wecom-handler.js';
import { migrateGateway } from '../../../src/migrate-gateway.js';
import { Log } from '../../../src/observability/log.js';
import { createLogger } from '../../../src/observability/logger.js';
import { SystemRandom } from '../../../src/runtime/system-random.js';
import type { FromProduct, ToProduct } from './control.js';
import { countingHandlers, CreateTestEffect1796000900000 } from './counting-handlers.js';
import { countFoundRows } from './driver-flags.js';
import { points } from './points.js';
import { PortFaults } from './port-faults.js';

/** The product as a library's user runs it, with test handlers, and with faults around its ports. */
async function start(): Promise<void> {
  const config = loadConfig(systemConfigSources(process.env, new SystemRandom()));
  const log = new Log(createLogger(config.logLevel, config.instance));
  // No handler, but a provider all the same: whatever stands in this list is made before anything is consumed.
  const faults = PortFaults as unknown as Type<WecomHandler>;
  const migrations = [CreateTestEffect1796000900000];
  // What an operator does before the first start. A database that is away now is the business of the start itself.
  if (config.store.engine !== 'sqlite') await migrateGateway({ config, migrations }).catch(() => undefined);
  const gateway = await startGateway({ config, handlers: [faults, ...countingHandlers()], migrations });
  announce(config, gateway, log);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      gateway.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          log.error('process.stop_failed', { error: String(error) });
          process.exit(1);
        },
      );
    });
  }
  const ports = gateway.app.get(PortFaults, { strict: false });
  process.on('message', (ask: ToProduct) => {
    answer(gateway.app, ports, ask).then(
      (result) => send({ kind: 'answer', id: ask.id, result }),
      (error: unknown) => send({ kind: 'answer', id: ask.id, error: String(error) }),
    );
  });
  send({ kind: 'started', port: gateway.port ?? 0, adminPort: gateway.adminPort });
}

async function answer(app: INestApplicationContext, ports: PortFaults, ask: ToProduct): Promise<unknown> {
  switch (ask.ask) {
    case 'fault':
      if (ask.fault.what === 'db.flag') return countFoundRows(app, ask.fault['FOUND_ROWS'] as boolean);
      return ports.set(ask.fault);
    case 'arm':
      return points.arm(ask.point);
    case 'resume':
      return points.resume();
    case 'rows':
      return ports.rows(ask.table);
    case 'publish':
      return ports.transport.put(ask.topic, { orderingKey: ask.orderingKey, body: ask.body });
    case 'heap':
      globalThis.gc?.();
      return process.memoryUsage().heapUsed + process.memoryUsage().external;
  }
}

function send(message: FromProduct): void {
  process.send?.(message);
}

// As the product's own main does: settings that are wrong are told in one sentence.
start().catch((error: unknown) => {
  const expected = error instanceof ConfigError || (error instanceof Error && 'code' in error);
  process.stderr.write(`did not start: ${expected ? (error as Error).message : String((error as Error).stack)}\n`);
  process.exit(1);
});

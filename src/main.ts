import 'reflect-metadata';
import { ConfigError } from './config/config.js';
import { loadConfig } from './config/load-config.js';
import { systemConfigSources } from './config/system-config-sources.js';
import { startGateway } from './gateway-app.js';
import { Log } from './observability/log.js';
import { createLogger } from './observability/logger.js';
import { Metrics } from './observability/metrics.js';
import { SystemRandom } from './runtime/system-random.js';
import { announce } from './announce.js';

try {
  const config = loadConfig(systemConfigSources(process.env, new SystemRandom()));
  const log = new Log(createLogger(config.logLevel, config.instance));
  const gateway = await startGateway({ config });
  gateway.app.get(Metrics).collectDefaults();
  announce(config, gateway, log);
  for (const signal of ['SIGINT', 'SIGTERM'] as const) {
    process.once(signal, () => {
      log.info('process.stopping', { signal });
      gateway.stop().then(
        () => process.exit(0),
        (error: unknown) => {
          log.error('process.stop_failed', { error: String(error) });
          process.exit(1);
        },
      );
    });
  }
} catch (error) {
  const expected = error instanceof ConfigError || (error instanceof Error && 'code' in error);
  process.stderr.write(
    `wecom-callback-gateway did not start: ${expected ? (error as Error).message : String((error as Error).stack)}\n`,
  );
  process.exit(1);
}

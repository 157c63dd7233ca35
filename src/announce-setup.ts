import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { SetupService } from './access/setup-service.js';
import type { Config } from './config/config.js';
import { Log } from './observability/log.js';

/**
 * While nobody can log in, the log tells a link by which whoever reads it makes the first administrator. It is the one
 * secret that is ever logged: it works once, for a day, and not any more once there is an administrator.
 */
export async function announceSetup(app: NestFastifyApplication, { adminHost }: Config, port: number): Promise<void> {
  const log = app.get(Log);
  try {
    const token = await app.get(SetupService, { strict: false }).issue();
    if (token === null) return;
    const host = /^(0\.0\.0\.0|::)$/.test(adminHost)
      ? '127.0.0.1'
      : adminHost.includes(':')
        ? `[${adminHost}]`
        : adminHost;
    const url = `http://${host}:${port}/console/setup#token=${token}`;
    // A warning, so that it shows at every LOG_LEVEL that shows what needs somebody.
    const sentence = 'Nobody can log in to the console yet: open this link to make the first account. It works once.';
    log.warn('setup.needed', { url }, sentence);
  } catch (error) {
    // The service works without; a database that is away now has it printed at the next start.
    log.warn('setup.failed', { error: String(error) });
  }
}

import type { LoggerService } from '@nestjs/common';
import { pino, type Logger } from 'pino';

/** JSON lines on standard output. Whatever is named like a secret is cut out, should one ever get into a field. */
export function createLogger(level: string, instance: string): Logger {
  return pino({
    level,
    base: { instance },
    messageKey: 'message',
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label) => ({ level: label }) },
    redact: {
      paths: [
        'token',
        'encodingAESKey',
        'aesKey',
        'msg_signature',
        'echostr',
        'encrypt',
        'plaintext',
        'authorization',
        'body',
      ],
      remove: true,
    },
  });
}

/** Nest's own lines, in the same format; its chatter at start is for debugging. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ event: 'nest.log', context }, String(message));
  }

  error(message: unknown, stack?: string, context?: string): void {
    const error = message instanceof Error ? message.message : String(message);
    this.logger.error({ event: 'nest.error', context, stack }, error);
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ event: 'nest.warn', context }, String(message));
  }

  debug(message: unknown, context?: string): void {
    this.logger.trace({ event: 'nest.debug', context }, String(message));
  }
}

import type { LoggerService } from '@nestjs/common';
import { pino, type DestinationStream, type Logger } from 'pino';

const SECRETS = 'token encodingAESKey aesKey msg_signature echostr encrypt plaintext authorization body'.split(' ');
/** What a person at a terminal need not read in each line. */
const CONSTANT_FIELDS = new Set(['level', 'time', 'instance', 'event', 'message']);

/**
 * JSON lines on standard output; at a terminal, text for a person. A top-level field that is named like a
 * secret is cut out, should one ever get there.
 */
export function createLogger(level: string, instance: string): Logger {
  const options = {
    level,
    base: { instance },
    messageKey: 'message',
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: SECRETS, remove: true },
  };
  return process.stdout.isTTY ? pino(options, terminal) : pino(options);
}

const terminal: DestinationStream = {
  write: (line) => void process.stdout.write(`${readable(line)}\n`),
};

/** `22:13:23 INFO  Point WeCom at … app=demo`: time of the day, level, message, and the fields that vary. */
export function readable(line: string): string {
  const entry = JSON.parse(line) as Record<string, unknown>;
  const fields = Object.entries(entry).filter(([name]) => !CONSTANT_FIELDS.has(name));
  const text = fields.map(([name, value]) => `${name}=${typeof value === 'string' ? value : JSON.stringify(value)}`);
  const [time, level] = [String(entry['time']).slice(11, 19), String(entry['level']).toUpperCase().padEnd(5)];
  return [time, level, entry['message'], ...text].join(' ');
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

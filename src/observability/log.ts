import type { Logger } from 'pino';

/** Values for a log line. Never a secret, a key, a signature or a decrypted body. */
export type LogFields = Readonly<Record<string, unknown>>;

/**
 * Structured log. `event` is dotted and past tense (`event.completed`, `lease.lost`); what varies goes into the fields,
 * so that lines of one kind can be counted.
 */
export class Log {
  constructor(private readonly logger: Logger) {}

  child(fields: LogFields): Log {
    return new Log(this.logger.child(fields));
  }

  debug(event: string, fields: LogFields = {}): void {
    this.logger.debug({ event, ...fields }, event);
  }

  /** `sentence` is for the few lines that are written for people; the others are named by their event. */
  info(event: string, fields: LogFields = {}, sentence = event): void {
    this.logger.info({ event, ...fields }, sentence);
  }

  warn(event: string, fields: LogFields = {}, sentence = event): void {
    this.logger.warn({ event, ...fields }, sentence);
  }

  error(event: string, fields: LogFields = {}): void {
    this.logger.error({ event, ...fields }, event);
  }
}

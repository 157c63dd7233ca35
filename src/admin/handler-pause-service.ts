import { Injectable, NotFoundException } from '@nestjs/common';
import { AuditedWrites } from '../access/audited-writes.js';
import type { By } from '../access/principal.js';
import { driverErrorKind } from '../database/database-errors.js';
import type { Tx } from '../database/unit-of-work.js';
import { EventLog } from '../event-log/event-log.js';
import { HandlerPausedError } from '../handlers/handler-paused-error.js';
import { HandlerPauses } from '../handlers/handler-pauses.js';
import { HandlerRegistry } from '../handlers/handler-registry.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';

/** Rows that one transaction wakes: it holds up a worker that has one of them for milliseconds. */
const WOKEN_AT_ONCE = 500;

/**
 * Pauses handlers and resumes them. Each is asked for twice without harm: two operators, or one who clicks again, get
 * what they wanted. The audit names who changed something.
 */
@Injectable()
export class HandlerPauseService {
  constructor(
    private readonly writes: AuditedWrites,
    private readonly pauses: HandlerPauses,
    private readonly eventLog: EventLog,
    private readonly handlers: HandlerRegistry,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Throws 404 for a handler that nobody has registered here. */
  async pause(handler: string, reason: string, by: By): Promise<void> {
    if (!this.isRegistered(handler)) throw notFound(handler);
    try {
      const paused = await this.writes.write(async (tx, pausedAt) => {
        if ((await this.pauses.names(tx)).has(handler)) return false;
        await this.pauses.add(tx, { handler, pausedAt, actor: by.actor, reason });
        await this.writes.record(tx, by, 'handler.pause', target(handler), { reason });
        return true;
      });
      if (paused) this.log.warn('handler.paused', { handler, actor: by.actor });
    } catch (error) {
      // Somebody else paused it at the same moment.
      if (driverErrorKind(error) !== 'duplicate-key') throw error;
    }
  }

  /**
   * What waits for the handler is due at once; resolves when all of it is. Throws 404 for one that is neither paused nor
   * registered here. One that was paused before its class was renamed can still be resumed.
   */
  async resume(handler: string, reason: string, by: By): Promise<void> {
    const wasPaused = await this.writes.write(async (tx) => {
      if (!(await this.pauses.remove(tx, handler))) return false;
      await this.writes.record(tx, by, 'handler.resume', target(handler), { reason });
      return true;
    });
    if (!wasPaused && !this.isRegistered(handler)) throw notFound(handler);
    // Also when it was not paused: the process that resumed it may have died before it had woken all.
    const woken = await this.wakeAll(new HandlerPausedError(handler));
    if (wasPaused) this.log.warn('handler.resumed', { handler, actor: by.actor, woken });
  }

  private async wakeAll(error: HandlerPausedError): Promise<number> {
    let total = 0;
    for (;;) {
      const wake = (tx: Tx, now: number): Promise<number> => this.eventLog.wake(tx, error, now, WOKEN_AT_ONCE);
      const woken = await this.writes.write(wake);
      total += woken;
      if (woken < WOKEN_AT_ONCE) return total;
      await this.clock.nextTurn();
    }
  }

  private isRegistered(handler: string): boolean {
    return this.handlers.list().some(({ name }) => name === handler);
  }
}

function target(handler: string): string {
  return `handler:${handler}`;
}

function notFound(handler: string): NotFoundException {
  return new NotFoundException(`no handler is named ${handler}`);
}

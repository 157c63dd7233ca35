import { Controller } from '@nestjs/common';
import { EventPattern, Payload } from '@nestjs/microservices';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { UnrecoverableError } from '../saga/unrecoverable-error.js';
import { DEAD_LETTERS_PATTERN } from '../transport/topics.js';
import type { Delivery } from '../transport/transport.js';
import { deathTold } from './dead-letter.js';
import { FailureWriter } from './failure-writer.js';
import { MessageReader } from './message-reader.js';
import type { WorkItem } from './work-item.js';

const UNTOLD = { code: 'DEAD_LETTERED_ELSEWHERE', reason: 'found on the dead-letter topic without a row' };

/**
 * Reads the dead-letter topic for what others put there: a broker that gives up moves messages too. Our own copies have
 * their row already and are settled by it; one whose row is gone, as after a database was restored from a backup, brings
 * with it what the event died of.
 */
@Controller()
export class DeadLetterConsumer {
  constructor(
    private readonly reader: MessageReader,
    private readonly failures: FailureWriter,
    private readonly clock: Clock,
    private readonly log: Log,
  ) {}

  /** Rejects when the database is away: nothing of what is left is settled, and it comes again. */
  @EventPattern<string>(DEAD_LETTERS_PATTERN)
  async consume(@Payload() batch: readonly Delivery[]): Promise<void> {
    for (const item of this.reader.read(batch).items) {
      if (item.origin.kind !== 'message') continue;
      await this.keep(item, item.origin.delivery.body);
      await item.origin.delivery.settle();
    }
  }

  /** No row → DEAD, in its entity's line. A row, whatever it says, owns its event. */
  private async keep(item: WorkItem, body: string): Promise<void> {
    const { code, reason } = item.defect ?? deathTold(body) ?? UNTOLD;
    const error = new UnrecoverableError(reason, { code });
    const result = await this.failures.write(item, error, this.clock.now(), { copy: false });
    if (result.kind === 'written') this.log.warn('dead_letter.found', { eventKey: item.identity.eventKey, code });
  }
}

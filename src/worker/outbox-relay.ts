import { Inject, Injectable } from '@nestjs/common';
import { UnitOfWork } from '../database/unit-of-work.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { Outbox, type PendingCommand } from '../saga/outbox.js';
import { CommandSender } from './command-sender.js';
import { DEAD_LETTER_COMMAND } from './dead-letter.js';
import { PollLoop } from '../runtime/poll-loop.js';
import { WORKER_OPTIONS, type WorkerOptions } from './worker-options.js';

const RETRY_DELAY_MS = 1_000;
const RETRY_DELAY_MS_MAX = 5 * 60_000;

/**
 * Delivers commands after the commit that asked for them, at least once, until they are accepted or dead. A copy for the
 * dead-letter topic never dies: it waits for the topic.
 */
@Injectable()
export class OutboxRelay {
  private readonly loop: PollLoop;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly outbox: Outbox,
    private readonly sender: CommandSender,
    private readonly clock: Clock,
    private readonly log: Log,
    @Inject(WORKER_OPTIONS) private readonly options: WorkerOptions,
  ) {
    this.loop = new PollLoop(
      clock,
      options.outboxPollMs,
      () => this.pass(),
      (error) => this.log.warn('outbox.paused', { error: String(error) }),
    );
  }

  start(): void {
    this.loop.start();
  }

  async stop(limitMs: number): Promise<void> {
    await this.loop.stop(limitMs);
  }

  /** True when there may be more to do at once. */
  async pass(): Promise<boolean> {
    const { outboxBatchMax: limit, outboxTimeoutMs } = this.options;
    const now = this.clock.now();
    const { pending } = await this.unitOfWork.read((tx) => this.outbox.counts(tx));
    if (pending === 0) return false;
    // Hidden for longer than a delivery may take, so that a crash delays and a second relay does not double it.
    const hiddenUntil = now + 2 * outboxTimeoutMs;
    const picked = await this.unitOfWork.write((tx) => this.outbox.pick(tx, now, hiddenUntil, limit));
    const results = await Promise.allSettled(picked.map((command) => this.sender.send(command)));
    await this.unitOfWork.write(async (tx) => {
      const delivered = picked.filter((_, index) => results[index]?.status === 'fulfilled');
      await this.outbox.delivered(
        tx,
        delivered.map(({ id }) => id),
      );
      for (const [index, command] of picked.entries()) {
        const result = results[index];
        if (result?.status === 'rejected') await this.failed(tx, command, result.reason);
      }
    });
    return picked.length === limit;
  }

  private async failed(tx: Parameters<Outbox['failed']>[0], command: PendingCommand, cause: unknown): Promise<void> {
    const error = cause instanceof Error ? cause.message : String(cause);
    const { idempotencyKey, attempt } = command;
    const name = command.command.name;
    this.log.warn('command.not_accepted', { command: name, idempotencyKey, attempt, error });
    if (name !== DEAD_LETTER_COMMAND && attempt >= this.options.outboxAttemptsMax) {
      await this.outbox.dead(tx, command, error, this.clock.now());
      return;
    }
    const delayMs = Math.min(RETRY_DELAY_MS * 2 ** Math.min(attempt - 1, 20), RETRY_DELAY_MS_MAX);
    await this.outbox.failed(tx, command.id, this.clock.now() + delayMs, error);
  }
}

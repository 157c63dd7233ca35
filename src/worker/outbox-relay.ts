import { Inject, Injectable } from '@nestjs/common';
import { ClusterLock } from '../cluster/cluster-lock.js';
import { Log } from '../observability/log.js';
import { Clock } from '../runtime/clock.js';
import { PollLoop } from '../runtime/poll-loop.js';
import { OutboxBatch } from './outbox-batch.js';
import { WORKER_OPTIONS, type WorkerOptions } from './worker-options.js';

/**
 * Delivers commands after the commit that asked for them, at least once, until they are accepted or dead. A copy for the
 * dead-letter topic never dies: it waits for the topic.
 *
 * One process of the cluster does it, which keeps commands about in their order. Without the lock several do: each picks
 * commands that the others do not see, so none is sent more often for it.
 */
@Injectable()
export class OutboxRelay {
  private readonly loop: PollLoop;

  constructor(
    private readonly batch: OutboxBatch,
    private readonly lock: ClusterLock,
    clock: Clock,
    log: Log,
    @Inject(WORKER_OPTIONS) options: WorkerOptions,
  ) {
    this.loop = new PollLoop(
      clock,
      options.outboxPollMs,
      () => this.pass(),
      (error) => log.warn('outbox.paused', { error: String(error) }),
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
    if (!(await this.batch.isPending())) return false;
    const run = await this.lock.run('outbox', () => this.batch.deliver());
    return run.kind === 'ran' && run.value;
  }
}

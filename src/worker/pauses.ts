import { Inject, Injectable } from '@nestjs/common';
import { Clock } from '../runtime/clock.js';
import { Random } from '../runtime/random.js';
import { WorkerMetrics } from './worker-metrics.js';
import { WORKER_OPTIONS, type WorkerOptions } from './worker-options.js';

/** How long a worker waits before it does the same again. */
@Injectable()
export class Pauses {
  constructor(
    private readonly clock: Clock,
    private readonly random: Random,
    private readonly metrics: WorkerMetrics,
    @Inject(WORKER_OPTIONS) private readonly options: WorkerOptions,
  ) {}

  /** After conflict number `count` of one transaction: false when it has been run often enough. */
  async afterConflict(count: number, signal: AbortSignal): Promise<boolean> {
    if (count > this.options.conflictRetriesMax) return false;
    this.metrics.paused('conflict');
    // Full jitter: two transactions that met once must not meet again.
    await this.clock.sleep(this.options.conflictDelayMs * count * this.random.fraction(), signal);
    return true;
  }

  /** While infrastructure is away; `count` is 1 for the first pause. Rejects when the signal aborts. */
  async whileAway(count: number, signal: AbortSignal): Promise<void> {
    this.metrics.paused('infrastructure');
    await this.clock.sleep(this.backoffMs(count), signal);
  }

  backoffMs(count: number): number {
    const doubled = this.options.backoffMs * 2 ** Math.min(count - 1, 16);
    return Math.min(doubled, this.options.backoffMsMax) * (0.5 + this.random.fraction() / 2);
  }
}

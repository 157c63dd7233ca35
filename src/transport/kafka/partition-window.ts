import type { HeldAmount } from './held-lines.js';
import { PartitionTracker } from './partition-tracker.js';

/** How much of one partition may be in memory, or stand open behind a record that is stuck. */
export interface WindowLimits {
  readonly records: number;
  readonly bytes: number;
  /** From the first record that is not settled to the last one received: what a crash may bring again. */
  readonly span: number;
}

/** What to tell the client: reading on would take more memory, or there is room again. */
export type WindowChange = 'pause' | 'resume' | 'none';

/** One partition while it is ours. */
export class PartitionWindow {
  readonly tracker = new PartitionTracker();
  isDraining = false;
  private isPaused = false;

  constructor(private readonly limits: WindowLimits) {}

  balance({ records, bytes }: HeldAmount): WindowChange {
    const { limits, tracker } = this;
    const fill = Math.max(records / limits.records, bytes / limits.bytes, tracker.span / limits.span);
    // Half way down, so that a full partition is not switched with every record.
    const change = !this.isPaused && fill >= 1 ? 'pause' : this.isPaused && fill <= 0.5 ? 'resume' : 'none';
    if (change !== 'none') this.isPaused = change === 'pause';
    return change;
  }
}

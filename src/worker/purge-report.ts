import { Injectable } from '@nestjs/common';
import { Counter, Histogram } from 'prom-client';
import type { AgedTable } from '../event-log/aged-rows.js';
import { Log } from '../observability/log.js';
import { Metrics } from '../observability/metrics.js';

const PURGE_ENDS = ['ended', 'interrupted', 'held', 'failed'] as const;
export type PurgeEnd = (typeof PURGE_ENDS)[number];

/** What the purge tells: a line a pass that deleted something, and its metrics. */
@Injectable()
export class PurgeReport {
  private readonly rows: Counter<'table'>;
  private readonly passes: Counter<'result'>;
  private readonly steps: Histogram;

  constructor(
    metrics: Metrics,
    private readonly log: Log,
  ) {
    const registers = [metrics.registry];
    this.rows = new Counter({
      name: 'wecom_purged_rows_total',
      help: 'Rows that were deleted because of their age.',
      labelNames: ['table'],
      registers,
    });
    this.passes = new Counter({
      name: 'wecom_purge_passes_total',
      help: 'Passes of the purge: ended, interrupted (by a stop or a lost lock), held (another process runs it), failed.',
      labelNames: ['result'],
      registers,
    });
    for (const result of PURGE_ENDS) this.passes.inc({ result }, 0);
    this.steps = new Histogram({
      name: 'wecom_purge_step_seconds',
      help: 'One step of the purge; on SQLite nothing else is written meanwhile.',
      buckets: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 1],
      registers,
    });
  }

  step(table: AgedTable, count: number, ms: number): void {
    this.rows.inc({ table }, count);
    this.steps.observe(ms / 1_000);
  }

  pass(result: PurgeEnd, counts: ReadonlyMap<AgedTable, number> = new Map()): void {
    this.passes.inc({ result });
    if (counts.size > 0) this.log.info(`purge.${result}`, { rows: Object.fromEntries(counts) });
  }

  failed(error: unknown): void {
    this.passes.inc({ result: 'failed' });
    this.log.warn('purge.paused', { error: String(error) });
  }
}

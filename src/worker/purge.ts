import { Inject, Injectable } from '@nestjs/common';
import { ClusterLock } from '../cluster/cluster-lock.js';
import { TransactionConflictError } from '../database/database-errors.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { AGED_TABLES, AgedRows, type AgedPage, type AgedTable } from '../event-log/aged-rows.js';
import { Clock } from '../runtime/clock.js';
import { PollLoop } from '../runtime/poll-loop.js';
import { PurgeReport } from './purge-report.js';

export const PURGE_OPTIONS = Symbol('PURGE_OPTIONS');

export interface PurgeOptions {
  /** How long rows are kept, in milliseconds; null: for ever. */
  readonly agesMs: Readonly<Record<AgedTable, number | null>>;
  readonly everyMs: number;
  /** Rows that one transaction deletes. On SQLite everything that writes waits for it. */
  readonly stepRowsMax: number;
  readonly pauseMsMin: number;
}

// The share of the writer that the purge takes: a step, and three times as long for others.
const PAUSE_FACTOR = 3;
// A step that lost a race comes again; one that loses them all is left to the next pass.
const CONFLICTS_MAX = 5;

/**
 * Deletes what is older than its age, in small transactions with pauses between them. Without the cluster's lock two
 * processes delete the same rows: that costs a conflict, and each row is gone once all the same.
 */
@Injectable()
export class Purge {
  private readonly loop: PollLoop;
  private readonly stopping = new AbortController();

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly rows: AgedRows,
    private readonly lock: ClusterLock,
    private readonly clock: Clock,
    private readonly report: PurgeReport,
    @Inject(PURGE_OPTIONS) private readonly options: PurgeOptions,
  ) {
    this.loop = new PollLoop(
      clock,
      options.everyMs,
      () => this.pass(),
      (error) => report.failed(error),
    );
  }

  start(): void {
    this.loop.start();
  }

  /** Resolves after the step under way, at the latest after `limitMs`. */
  async stop(limitMs: number): Promise<void> {
    this.stopping.abort();
    await this.loop.stop(limitMs);
  }

  /** Everything that is old by now. Never true: what grows old meanwhile has time until the next pass. */
  async pass(): Promise<boolean> {
    const run = await this.lock.run('purge', (lost) => this.sweep(AbortSignal.any([lost, this.stopping.signal])));
    if (run.kind === 'held') this.report.pass('held');
    return false;
  }

  private async sweep(signal: AbortSignal): Promise<void> {
    const now = this.clock.now();
    const counts = new Map<AgedTable, number>();
    for (const table of AGED_TABLES) {
      const ageMs = this.options.agesMs[table];
      if (ageMs === null) continue;
      const count = await this.table(table, now - ageMs, signal);
      if (count > 0) counts.set(table, count);
    }
    this.report.pass(signal.aborted ? 'interrupted' : 'ended', counts);
  }

  private async table(table: AgedTable, olderThan: number, signal: AbortSignal): Promise<number> {
    let [total, conflicts] = [0, 0];
    for (let from: number | null = 0; from !== null && !signal.aborted;) {
      const begun = this.clock.monotonic();
      const { count, next } = await this.step(table, olderThan, from);
      conflicts = count === null ? conflicts + 1 : 0;
      if (conflicts > CONFLICTS_MAX) throw new Error(`the purge of ${table} lost ${conflicts} races in a row`);
      const tookMs = this.clock.monotonic() - begun;
      this.report.step(table, count ?? 0, tookMs);
      total += count ?? 0;
      from = next;
      const pauseMs = Math.max(this.options.pauseMsMin, tookMs * PAUSE_FACTOR);
      if (from !== null) await this.clock.sleep(pauseMs, signal).catch(() => undefined);
    }
    return total;
  }

  /** One transaction; `count` is null when it lost a race and the same page has to come again. */
  private async step(table: AgedTable, olderThan: number, from: number): Promise<{ count: number | null } & Next> {
    const limit = this.options.stepRowsMax;
    const page: AgedPage = await this.unitOfWork.read((tx) => this.rows.find(tx, table, olderThan, from, limit));
    if (page.ids.length === 0) return { count: 0, next: page.next };
    try {
      const count = await this.unitOfWork.write((tx) => this.rows.remove(tx, table, page.ids, olderThan));
      return { count, next: page.next };
    } catch (error) {
      if (error instanceof TransactionConflictError) return { count: null, next: from };
      throw error;
    }
  }
}

type Next = Pick<AgedPage, 'next'>;

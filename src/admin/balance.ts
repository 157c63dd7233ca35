import { Inject, Injectable, Optional, type OnApplicationBootstrap } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { UnitOfWork } from '../database/unit-of-work.js';
import { BacklogRegistry } from '../observability/backlog-registry.js';
import { Metrics } from '../observability/metrics.js';
import { Clock } from '../runtime/clock.js';
import { Transport } from '../transport/transport.js';
import { shown } from './view-fields.js';

// More than all transactions that are open at once could have been given.
const UNSETTLED_IDS = 10_000;

/** Accepted events and where they are. Null where a part of it is out of this process's sight. */
export class BalanceView {
  @shown.time({ description: 'Since the start of this process' })
  since!: number;

  @shown.integer({ description: 'Callbacks answered success for having been published or spooled' })
  accepted!: number;

  @shown.integer({ nullable: true, description: 'On the transport and in the spool at the start' })
  waitedAtStart!: number | null;

  @shown.integer({ nullable: true, description: 'On the transport and in the spool now' })
  waiting!: number | null;

  @shown.integer({ description: 'Rows written since: outcomes and waiting statuses' })
  rows!: number;

  @shown.integer({ description: 'Messages whose event had a row already' })
  duplicates!: number;

  @shown.integer({
    nullable: true,
    description:
      'accepted + waitedAtStart - waiting - rows - duplicates. More than 0 while events are in hand; more than 0 when nothing is under way means loss. Less than 0: copies were written that were not answered',
  })
  missing!: number | null;
}

/**
 * The sum that must come out: what was accepted is a row, a duplicate, or waits. Over the life of one process that has
 * gateway and worker in it; elsewhere the counters are several processes' and only a monitoring system can add them up.
 */
@Injectable()
export class Balance implements OnApplicationBootstrap {
  private since = 0;
  private waitedAtStart: number | null = null;
  private rowCount = 0;
  private countedToId = 0;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    /** Null in the admin role, which then cannot know what waits. */
    @Optional() @Inject(Transport) private readonly transport: Transport | null,
    private readonly backlogs: BacklogRegistry,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  async onApplicationBootstrap(): Promise<void> {
    this.since = this.clock.now();
    const [row] = await this.unitOfWork.read(({ manager }) =>
      manager.query<{ last: number | null }[]>('SELECT MAX(id) AS last FROM event_log'),
    );
    this.countedToId = row?.last ?? 0;
    // A transport that is away at the start is no reason not to start.
    this.waitedAtStart = await this.waiting().catch(() => null);
  }

  async read(): Promise<BalanceView> {
    const waiting = await this.waiting();
    const accepted =
      (await this.total('wecom_callbacks_total', { answer: 'published' })) +
      (await this.total('wecom_callbacks_total', { answer: 'spooled' }));
    const duplicates = await this.total('wecom_events_duplicate_total', {});
    const rows = await this.rows();
    const { since, waitedAtStart } = this;
    const isKnown = waiting !== null && waitedAtStart !== null;
    const missing = isKnown ? accepted + waitedAtStart - waiting - rows - duplicates : null;
    return { since, accepted, waitedAtStart, waiting, rows, duplicates, missing };
  }

  private async waiting(): Promise<number | null> {
    const backlog = await this.transport?.backlog(this.config.eventsTopic, this.config.eventsGroup);
    const unsettled = backlog?.unsettled ?? null;
    return unsettled === null ? null : unsettled + (this.backlogs.depthOf('spool') ?? 0);
  }

  /**
   * Each row is counted once for good, so that asking costs what was written since; but the newest are counted anew each
   * time, since ids are given before the commit, and a smaller one may show itself later.
   */
  private async rows(): Promise<number> {
    const [newest] = await this.unitOfWork.read(({ manager }) =>
      manager.query<{ last: number | null }[]>('SELECT MAX(id) AS last FROM event_log'),
    );
    const settledTo = Math.max(this.countedToId, Number(newest?.last ?? 0) - UNSETTLED_IDS);
    this.rowCount += await this.countBetween(this.countedToId, settledTo);
    this.countedToId = settledTo;
    return this.rowCount + (await this.countBetween(settledTo, Number.MAX_SAFE_INTEGER));
  }

  private async countBetween(after: number, to: number): Promise<number> {
    if (to <= after) return 0;
    const [row] = await this.unitOfWork.read(({ manager }) =>
      manager.query<{ total: number }[]>('SELECT COUNT(*) AS total FROM event_log WHERE id > ? AND id <= ?', [
        after,
        to,
      ]),
    );
    return Number(row?.total ?? 0);
  }

  private async total(name: string, labels: Readonly<Record<string, string>>): Promise<number> {
    const metric = await this.metrics.registry.getSingleMetric(name)?.get();
    const values = metric?.values ?? [];
    const wanted = values.filter((one) => Object.entries(labels).every(([key, value]) => one.labels[key] === value));
    return wanted.reduce((sum, { value }) => sum + value, 0);
  }
}

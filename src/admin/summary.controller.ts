import { Inject, Optional } from '@nestjs/common';
import { CONFIG, type Config } from '../config/config.js';
import { BacklogRegistry } from '../observability/backlog-registry.js';
import { Transport } from '../transport/transport.js';
import { AdminController, AdminGet } from './admin-controller.decorator.js';
import { Balance, BalanceView } from './balance.js';
import { StoredSummary } from './stored-summary.js';
import { shown } from './view-fields.js';

export class OutboxCountsView {
  @shown.integer()
  pending!: number;

  @shown.integer()
  dead!: number;
}

export class BacklogView {
  @shown.integer({ nullable: true, description: 'Null when the transport cannot tell' })
  events!: number | null;

  @shown.integer({ nullable: true })
  deadLetters!: number | null;
}

export class SpoolView {
  @shown.integer()
  depth!: number;
}

export class SummaryView {
  @shown.text({ description: 'The process that answers' })
  instance!: string;

  @shown.counts({ description: 'Rows by status' })
  statuses!: Record<string, number>;

  @shown.time({ description: 'When the outcomes among them were counted; waiting rows are counted each time' })
  outcomesAt!: number;

  @shown.view(() => OutboxCountsView)
  outbox!: OutboxCountsView;

  @shown.integer({ description: 'Of the ledger of effects' })
  lastChangeId!: number;

  @shown.view(() => BacklogView, { description: 'Messages on the transport that are not settled' })
  backlog!: BacklogView;

  @shown.view(() => SpoolView, { nullable: true, description: 'Null when this process has none' })
  spool!: SpoolView | null;

  @shown.view(() => BalanceView)
  balance!: BalanceView;
}

@AdminController('summary')
export class SummaryController {
  constructor(
    private readonly stored: StoredSummary,
    /** Null in the admin role: what waits there is told by whoever consumes it. */
    @Optional() @Inject(Transport) private readonly transport: Transport | null,
    private readonly backlogs: BacklogRegistry,
    private readonly balance: Balance,
    @Inject(CONFIG) private readonly config: Config,
  ) {}

  @AdminGet(
    '',
    'viewer',
    SummaryView,
    'Everything that is somewhere: rows by status, and what waits outside the database',
  )
  async summary(): Promise<SummaryView> {
    const { eventsTopic, eventsGroup, dlqTopic, dlqGroup, instance } = this.config;
    // First where events come from, then where they go to: what moves in between is seen twice rather than nowhere.
    const depth = this.backlogs.depthOf('spool');
    const [events, deadLetters] = await Promise.all([
      this.transport?.backlog(eventsTopic, eventsGroup),
      this.transport?.backlog(dlqTopic, dlqGroup),
    ]);
    const stored = await this.stored.read();
    return {
      ...{ instance, ...stored },
      backlog: { events: events?.unsettled ?? null, deadLetters: deadLetters?.unsettled ?? null },
      spool: depth === null ? null : { depth },
      balance: await this.balance.read(),
    };
  }
}

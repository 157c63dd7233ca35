import { Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { UnitOfWork, type Tx } from '../database/unit-of-work.js';
import { WAITING, type WaitingStatus } from '../event-log/status.js';
import { HandlerPauses, type HandlerPause } from '../handlers/handler-pauses.js';
import { Metrics } from '../observability/metrics.js';
import { Reading } from '../observability/reading.js';
import { Clock } from '../runtime/clock.js';
import { Balance } from './balance.js';
import { StatusCounts } from './status-counts.js';

const READING = { everyMs: 10_000, limitMs: 5_000 };
/** A command that failed so often is stuck rather than unlucky. */
const FAILING_ATTEMPTS = 3;

interface Stored {
  readonly counts: Partial<Record<WaitingStatus, number>>;
  readonly oldestAt: Partial<Record<WaitingStatus, number>>;
  readonly outbox: { readonly pending: number; readonly failing: number; readonly dead: number };
  /** Of commands that are due, how long ago the first one was; null when none is. */
  readonly outboxDueAt: number | null;
  readonly missing: number | null;
  readonly paused: readonly HandlerPause[];
}

/**
 * What waits in the database, and whether the sum comes out, for alerts. Of the processes that have the admin API: the
 * numbers are the database's, so all of them say the same. While the database is away they have no value.
 */
@Injectable()
export class StoredMetrics {
  private readonly reading: Reading<Stored>;

  constructor(
    private readonly unitOfWork: UnitOfWork,
    private readonly statusCounts: StatusCounts,
    private readonly balance: Balance,
    private readonly pauses: HandlerPauses,
    private readonly metrics: Metrics,
    private readonly clock: Clock,
  ) {
    this.reading = new Reading(clock, 'stored metrics', () => this.read(), READING);
    this.waitingGauges();
    this.outboxGauges();
    const pausedHelp = 'How long each paused handler has been paused; no series when none is.';
    this.gauge('wecom_handler_paused_seconds', pausedHelp, ['handler'], ({ paused }) =>
      paused.map(({ handler, pausedAt }) => [{ handler }, this.age(pausedAt)]),
    );
    this.gauge('wecom_conservation_difference', CONSERVATION_HELP, [], ({ missing }) =>
      missing === null ? [] : [[{}, missing]],
    );
  }

  private waitingGauges(): void {
    const each = (value: (status: WaitingStatus) => number): [Record<string, string>, number][] =>
      WAITING.map((status) => [{ status }, value(status)]);
    this.gauge('wecom_waiting_events', 'Rows that wait, by status.', ['status'], ({ counts }) =>
      each((status) => counts[status] ?? 0),
    );
    const help = 'How long ago the event arrived that waits longest, by status; 0 when none waits.';
    this.gauge('wecom_waiting_oldest_seconds', help, ['status'], ({ oldestAt }) =>
      each((status) => this.age(oldestAt[status] ?? null)),
    );
  }

  private outboxGauges(): void {
    const help = `Commands in the outbox: pending, failing (pending, and tried ${FAILING_ATTEMPTS} times or more), dead.`;
    this.gauge('wecom_outbox_commands', help, ['state'], ({ outbox }) =>
      Object.entries(outbox).map(([state, count]) => [{ state }, count]),
    );
    const overdue = 'How long a command has been due that no relay has taken; 0 when none is.';
    this.gauge('wecom_outbox_overdue_seconds', overdue, [], ({ outboxDueAt }) => [[{}, this.age(outboxDueAt)]]);
  }

  private gauge(
    name: string,
    help: string,
    labelNames: string[],
    values: (stored: Stored) => [Record<string, string>, number][],
  ): void {
    const gauge: Gauge = new Gauge({
      ...{ name, help, labelNames, registers: [this.metrics.registry] },
      collect: async () => {
        const stored = await this.reading.get();
        const known = stored === null ? [] : values(stored);
        gauge.reset();
        // A gauge without labels shows 0 after a reset, which is a number like any other.
        if (known.length === 0 && labelNames.length === 0) gauge.remove();
        for (const [labels, value] of known) gauge.set(labels, value);
      },
    });
  }

  private age(at: number | null): number {
    return at === null ? 0 : Math.max(0, this.clock.now() - at) / 1_000;
  }

  private async read(): Promise<Stored> {
    const counts = await this.statusCounts.waiting();
    const { missing } = await this.balance.read();
    return this.unitOfWork.read(async (tx) => ({
      ...{ counts, missing },
      oldestAt: await oldest(tx),
      paused: await this.pauses.list(tx),
      ...(await outbox(tx)),
    }));
  }
}

const CONSERVATION_HELP =
  'accepted + waiting at the start - waiting - rows - duplicates (ROLE=all only). More than 0 while nothing is under way: an event is lost.';

async function oldest(tx: Tx): Promise<Stored['oldestAt']> {
  const found: Partial<Record<WaitingStatus, number>> = {};
  for (const status of WAITING) {
    const [row]: { received_at: number }[] = await tx.manager.query(
      'SELECT received_at FROM event_log WHERE status = ? ORDER BY received_at, id LIMIT 1',
      [status],
    );
    if (row) found[status] = Number(row.received_at);
  }
  return found;
}

async function outbox(tx: Tx): Promise<Pick<Stored, 'outbox' | 'outboxDueAt'>> {
  const rows: { status: string; total: number; failing: number; due_at: number }[] = await tx.manager.query(
    `SELECT status, COUNT(*) AS total, SUM(CASE WHEN attempt >= ${FAILING_ATTEMPTS} THEN 1 ELSE 0 END) AS failing,
       MIN(due_at) AS due_at
     FROM outbox GROUP BY status`,
  );
  const of = (status: string) => rows.find((row) => row.status === status);
  const pending = of('PENDING');
  const counts = { pending: Number(pending?.total ?? 0), failing: Number(pending?.failing ?? 0) };
  return {
    outbox: { ...counts, dead: Number(of('DEAD')?.total ?? 0) },
    outboxDueAt: pending ? Number(pending.due_at) : null,
  };
}

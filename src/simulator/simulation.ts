import { setTimeout as sleep } from 'node:timers/promises';
import { AdminClient, AdminUnavailableError, LOOKUP_KEYS_MAX, type EventRow, type LedgerRow } from './admin-client.js';
import { audit } from './audit.js';
import type { Credentials } from './credentials.js';
import type { Flags } from './flags.js';
import { HttpClient } from './http-client.js';
import { identifyEvent, type SimulatedEvent } from './identify-event.js';
import { checkAdmin, checkTarget } from './preflight.js';
import { Progress } from './progress.js';
import { type RunSummary, summarize } from './report.js';
import { schedule } from './schedule.js';
import { Sealer } from './sealer.js';
import { SeededRandom } from './seeded-random.js';
import { Sender, type SendReport } from './sender.js';
import { type Settlement, SettlementWatch } from './settlement.js';
import { workload } from './workload.js';

const POLL_MS = 500;
const QUIET_MS = 10_000;
const ADMIN_CONNECTIONS_MAX = 2;
/** How long the ledger may be out of reach after everything is settled. */
const LEDGER_PATIENCE_MS = 30_000;

/** One run: check, deliver, wait, judge. Says how far it is on `stream`. */
export class Simulation {
  private readonly callbacks: HttpClient;
  private readonly adminHttp = new HttpClient(ADMIN_CONNECTIONS_MAX);
  private readonly admin: AdminClient;
  private readonly urls: readonly string[];

  constructor(
    private readonly flags: Flags,
    private readonly credentials: Credentials,
    private readonly stream: NodeJS.WriteStream,
  ) {
    this.callbacks = new HttpClient(flags.concurrency);
    this.admin = new AdminClient(this.adminHttp, flags.admin, credentials.adminToken);
    this.urls = flags.targets.map((target) => `${target}/wecom/callbacks/${encodeURIComponent(flags.app)}`);
  }

  /** Throws `SetupError` before the first delivery, and `AdminUnavailableError` when the ledger cannot be read. */
  async run(): Promise<RunSummary> {
    const startedAtMs = Date.now();
    const sealer = new Sealer(this.credentials, new SeededRandom(this.flags.seed, 'seal'));
    for (const url of this.urls) await checkTarget(this.callbacks, url, sealer, startedAtMs);
    const ledgerStart = await checkAdmin(this.admin, this.flags);

    const { app, receiveId } = this.credentials;
    const planned = workload({ ...this.flags, startedAtMs, corpId: receiveId });
    const events = planned.map(({ plaintext }) => identifyEvent(plaintext, app, receiveId));
    const send = await this.deliver(events, sealer);
    const settlement = await this.settle(events, send);
    const changes = await this.readLedger(ledgerStart);
    const rows = await this.lookAgain(events, settlement, changes);
    const audited = events.map((event, index) => ({
      ...event,
      endsDead: planned[index]?.endsDead ?? false,
      isAnswered: isAnswered(send, index),
    }));
    return summarize({
      seed: this.flags.seed,
      eventCount: events.length,
      send,
      settlement,
      audit: audit({ events: audited, rows, changes, isQuiet: settlement.transport === 'empty' }),
    });
  }

  close(): void {
    this.callbacks.close();
    this.adminHttp.close();
  }

  private async deliver(events: readonly SimulatedEvent[], sealer: Sealer): Promise<SendReport> {
    const plan = schedule(events.length, this.flags);
    const progress = new Progress('sending', plan.length, this.stream);
    const sender = new Sender(this.callbacks, sealer, { ...this.flags, urls: this.urls }, (count) =>
      progress.update(count),
    );
    try {
      return await sender.send(events, plan);
    } finally {
      progress.stop();
    }
  }

  private async settle(events: readonly SimulatedEvent[], send: SendReport): Promise<Settlement> {
    const keys = events.map(({ eventKey }, index) => ({ eventKey, isAnswered: isAnswered(send, index) }));
    const progress = new Progress('settling', keys.length, this.stream);
    const options = { timeoutMs: this.flags.settleTimeoutMs, pollMs: POLL_MS, quietMs: QUIET_MS };
    try {
      return await new SettlementWatch(this.admin, options, (count) => progress.update(count)).run(keys);
    } finally {
      progress.stop();
    }
  }

  private async readLedger(afterId: number): Promise<LedgerRow[]> {
    const changes: LedgerRow[] = [];
    for (;;) {
      const page = await this.patiently(() => this.admin.changes(changes.at(-1)?.id ?? afterId));
      if (page.length === 0) return changes;
      for (const change of page) changes.push(change);
    }
  }

  /** An unanswered event may be applied between the last look and the reading of the ledger. */
  private async lookAgain(
    events: readonly SimulatedEvent[],
    settlement: Settlement,
    changes: readonly LedgerRow[],
  ): Promise<ReadonlyMap<string, EventRow>> {
    const rows = new Map(settlement.rows);
    const changed = new Set(changes.map(({ eventKey }) => eventKey));
    const outdated = events
      .map(({ eventKey }) => eventKey)
      .filter((eventKey) => changed.has(eventKey) && rows.get(eventKey)?.status !== 'APPLIED');
    for (let start = 0; start < outdated.length; start += LOOKUP_KEYS_MAX) {
      const page = await this.patiently(() => this.admin.lookup(outdated.slice(start, start + LOOKUP_KEYS_MAX)));
      for (const row of page) rows.set(row.eventKey, row);
    }
    return rows;
  }

  private async patiently<T>(ask: () => Promise<T>): Promise<T> {
    const deadline = performance.now() + LEDGER_PATIENCE_MS;
    for (;;) {
      try {
        return await ask();
      } catch (error) {
        if (!(error instanceof AdminUnavailableError) || performance.now() >= deadline) throw error;
        await sleep(POLL_MS);
      }
    }
  }
}

function isAnswered(send: SendReport, event: number): boolean {
  return (send.answeredByEvent[event] ?? 0) > 0;
}

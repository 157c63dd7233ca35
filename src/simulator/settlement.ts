import { setTimeout as sleep } from 'node:timers/promises';
import {
  type AdminClient,
  AdminUnavailableError,
  type EventRow,
  LOOKUP_KEYS_MAX,
  type Summary,
} from './admin-client.js';
import { entitiesBehindDead, isSettled } from './statuses.js';

export interface SettlementOptions {
  readonly timeoutMs: number;
  readonly pollMs: number;
  /** How long transport and spool have to be seen empty before an event without a row is given up for lost. */
  readonly quietMs: number;
}

export interface SentKey {
  readonly eventKey: string;
  readonly isAnswered: boolean;
}

export interface Settlement {
  readonly rows: ReadonlyMap<string, EventRow>;
  /** Transport and spool at the last look. When they were empty, what has no row will not get one. */
  readonly transport: TransportState;
  /** Why the last look failed; null when it did not. */
  readonly trouble: string | null;
}

/** `unknown`: the transport cannot tell, or nobody could be asked. */
export type TransportState = 'empty' | 'holding' | 'unknown';

/** Asks the service again and again until each event is settled, or until time is up. The API may be away for a while. */
export class SettlementWatch {
  private readonly rows = new Map<string, EventRow>();
  private pending: readonly SentKey[] = [];
  private quietSince: number | null = null;
  private transport: TransportState = 'unknown';
  private trouble: string | null = null;

  constructor(
    private readonly admin: Pick<AdminClient, 'summary' | 'lookup'>,
    private readonly options: SettlementOptions,
    private readonly onProgress: (settledCount: number) => void,
  ) {}

  async run(keys: readonly SentKey[]): Promise<Settlement> {
    const deadline = performance.now() + this.options.timeoutMs;
    this.pending = keys;
    for (;;) {
      const startedAt = performance.now();
      const isOver = await this.look();
      this.onProgress(keys.length - this.pending.length);
      const now = performance.now();
      if (isOver || now >= deadline) break;
      // A round over many keys is work for the service too: it gets as long a pause.
      await sleep(Math.min(Math.max(this.options.pollMs, now - startedAt), deadline - now));
    }
    return { rows: this.rows, transport: this.transport, trouble: this.trouble };
  }

  private async look(): Promise<boolean> {
    try {
      // First the backlog, then the rows: the other way round an event could be on its way at both looks.
      const transport = stateOf(await this.admin.summary());
      await this.refresh();
      this.quietSince = transport === 'empty' ? (this.quietSince ?? performance.now()) : null;
      this.transport = transport;
      this.trouble = null;
      return this.isOver();
    } catch (error) {
      if (!(error instanceof AdminUnavailableError)) throw error;
      this.trouble = error.message;
      this.transport = 'unknown';
      this.quietSince = null;
      return false;
    }
  }

  private async refresh(): Promise<void> {
    for (let start = 0; start < this.pending.length; start += LOOKUP_KEYS_MAX) {
      const chunk = this.pending.slice(start, start + LOOKUP_KEYS_MAX);
      for (const row of await this.admin.lookup(chunk.map(({ eventKey }) => eventKey)))
        this.rows.set(row.eventKey, row);
    }
    const behindDead = entitiesBehindDead(this.rows.values());
    this.pending = this.pending.filter(({ eventKey }) => {
      const row = this.rows.get(eventKey);
      return row === undefined || !isSettled(row, behindDead);
    });
  }

  private isOver(): boolean {
    const isNothingLeft = this.pending.every(({ eventKey, isAnswered }) => !isAnswered && !this.rows.has(eventKey));
    // Duplicates may be on the transport still, and one of them could be the second effect that this run looks for.
    if (isNothingLeft && this.transport !== 'holding') return true;
    // Only events without any row are left, and nothing is on its way: more waiting brings nothing. Spool and transport
    // are two looks, and a message may move from one to the other between them, hence the time.
    const isWorkLeft = this.pending.some(({ eventKey }) => this.rows.has(eventKey));
    return !isWorkLeft && this.quietSince !== null && performance.now() - this.quietSince >= this.options.quietMs;
  }
}

function stateOf({ backlog, spool }: Summary): TransportState {
  if ((spool?.depth ?? 0) > 0 || (backlog.events ?? 0) > 0) return 'holding';
  // Without a gateway in its process, the admin API cannot see the spool.
  return backlog.events === null || spool === null ? 'unknown' : 'empty';
}

import type { HttpClient } from './http-client.js';

/** What the service says of one event. */
export interface EventRow {
  readonly eventKey: string;
  readonly entityKey: string | null;
  readonly status: string;
  readonly errorCode: string | null;
  readonly errorMessage: string | null;
}

/** One committed effect. */
export interface LedgerRow {
  readonly id: number;
  readonly entityKey: string;
  readonly eventKey: string;
  readonly fromState: string;
  readonly toState: string;
  readonly createTime: number | null;
  readonly eventRank: number;
}

export interface Summary {
  /** `events` is null when the transport cannot tell. */
  readonly backlog: { readonly events: number | null };
  /** Null when the process that was asked has no spool in sight. */
  readonly spool: { readonly depth: number } | null;
  readonly lastChangeId: number;
}

export const LOOKUP_KEYS_MAX = 1_000;
const PAGE_SIZE = 1_000;
const ANSWER_BYTES_MAX = 64 * 1_024 * 1_024;
const TIMEOUT_MS = 15_000;

/** No answer, or not the expected one. It may come back: the service could be starting anew. */
export class AdminUnavailableError extends Error {
  readonly code = 'SIMULATOR_ADMIN_UNAVAILABLE';

  constructor(
    /** Null when there was no answer at all. */
    readonly status: number | null,
    reason: string,
  ) {
    super(`the admin API did not answer as expected: ${reason}`);
    this.name = 'AdminUnavailableError';
  }
}

/** The part of the admin API that an audit needs. Every method rejects with `AdminUnavailableError`. */
export class AdminClient {
  constructor(
    private readonly http: HttpClient,
    private readonly baseUrl: string,
    private readonly token: string,
  ) {}

  async summary(): Promise<Summary> {
    const answer = (await this.ask('GET', '/summary')) as Partial<Summary> | null;
    if (typeof answer?.lastChangeId !== 'number' || typeof answer.backlog !== 'object') {
      throw new AdminUnavailableError(200, '/summary: the answer is not a summary');
    }
    return { lastChangeId: answer.lastChangeId, backlog: answer.backlog, spool: answer.spool ?? null };
  }

  /** Keys without a row are missing in the answer. At most `LOOKUP_KEYS_MAX` keys. */
  async lookup(eventKeys: readonly string[]): Promise<readonly EventRow[]> {
    return itemsOf<EventRow>(await this.ask('POST', '/events/lookup', { eventKeys }));
  }

  /** The effects after `afterId` in commit order; an empty page is the end. */
  async changes(afterId: number): Promise<readonly LedgerRow[]> {
    return itemsOf<LedgerRow>(await this.ask('GET', `/entities/changes?afterId=${afterId}&limit=${PAGE_SIZE}`));
  }

  private async ask(method: 'GET' | 'POST', path: string, body?: object): Promise<unknown> {
    const outcome = await this.http.send({
      method,
      url: `${this.baseUrl}/admin/api/v1${path}`,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined ? undefined : JSON.stringify(body),
      timeoutMs: TIMEOUT_MS,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
    if (outcome.kind === 'failed') throw new AdminUnavailableError(null, `${path}: ${outcome.reason}`);
    if (outcome.status !== 200 && outcome.status !== 201) {
      throw new AdminUnavailableError(outcome.status, `${path}: HTTP ${outcome.status}`);
    }
    try {
      return JSON.parse(outcome.body) as unknown;
    } catch {
      throw new AdminUnavailableError(outcome.status, `${path}: the answer is not JSON`);
    }
  }
}

function itemsOf<Item>(answer: unknown): readonly Item[] {
  const items = (answer as { items?: unknown } | null)?.items;
  if (!Array.isArray(items)) throw new AdminUnavailableError(200, 'the answer has no items');
  return items as Item[];
}

import { HttpClient } from '../simulator/http-client.js';
import { adminToken, adminUrl } from './admin-address.js';
import { say, type CliContext } from './cli-context.js';
import { NotSoError, RefusedError, UnexpectedAnswerError, UnreachableError, UsageError } from './cli-errors.js';
import { printable } from './printable.js';

export interface AdminOption {
  readonly admin?: string;
}

const TIMEOUT_MS = 30_000;
const ANSWER_BYTES_MAX = 64 * 1_024 * 1_024;
const CONNECTIONS_MAX = 4;

export type QueryValue = string | number | readonly string[] | undefined;

/** The service's admin API. Every method rejects with a `CliError` that says what to do. */
export class AdminApi {
  private readonly http = new HttpClient(CONNECTIONS_MAX);

  private constructor(
    readonly url: string,
    private readonly token: string,
  ) {}

  static open(context: CliContext, options: AdminOption): AdminApi {
    const url = adminUrl(options.admin, context.env);
    if (isPlainAndFar(url)) say(context, `warning: ${url} is not encrypted: the admin token can be read on its way`);
    return new AdminApi(url, adminToken(context.env));
  }

  get<T>(path: string, query: Readonly<Record<string, QueryValue>> = {}): Promise<T> {
    const text = queryText(query);
    return this.ask<T>('GET', text === '' ? path : `${path}?${text}`);
  }

  post<T>(path: string, body: object = {}, timeoutMs = TIMEOUT_MS): Promise<T> {
    return this.ask<T>('POST', path, JSON.stringify(body), timeoutMs);
  }

  close(): void {
    this.http.close();
  }

  private async ask<T>(method: 'GET' | 'POST', path: string, body?: string, timeoutMs = TIMEOUT_MS): Promise<T> {
    const outcome = await this.http.send({
      method,
      url: `${this.url}/admin/api/v1/${path}`,
      headers: {
        authorization: `Bearer ${this.token}`,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body,
      timeoutMs,
      answerBytesMax: ANSWER_BYTES_MAX,
    });
    if (outcome.kind === 'failed')
      throw new UnreachableError(
        `no admin API at ${this.url} (${outcome.reason}): start the service, or name it with --admin or ADMIN_URL`,
      );
    const answer = parsed(outcome.body);
    if (outcome.status === 200 || outcome.status === 201) {
      if (typeof answer === 'object' && answer !== null) return answer as T;
      throw new UnexpectedAnswerError(`${this.url} answers, but not with JSON: is it the admin port of this service?`);
    }
    throw refusal(this.url, outcome.status, answer);
  }
}

/** Says what the service said, as far as a terminal may show it. */
function refusal(url: string, status: number, answer: unknown): Error {
  const { message } = (answer ?? {}) as { message?: unknown };
  const said = printable(
    [message]
      .flat()
      .filter((part) => typeof part === 'string')
      .join('; '),
  );
  if (status === 401 || status === 403) {
    const hint = 'set ADMIN_TOKEN, or DATA_DIR to the folder of that very service';
    return new RefusedError(`${url} refuses the admin token (HTTP ${status}): ${hint}`);
  }
  if (said === '')
    return new UnexpectedAnswerError(`${url} answers with HTTP ${status}: is it the admin port of this service?`);
  if (status === 400) return new UsageError(said);
  if (status === 404 || status === 409) return new NotSoError(said);
  return new UnexpectedAnswerError(`${url} answers with HTTP ${status}: ${said}`);
}

/** Ids of WeCom hold `+`, `/` and `=`: everything is encoded. */
function queryText(query: Readonly<Record<string, QueryValue>>): string {
  return Object.entries(query)
    .flatMap(([name, value]) => (value === undefined ? [] : [value].flat().map((one) => [name, String(one)] as const)))
    .map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
    .join('&');
}

function isPlainAndFar(url: string): boolean {
  const { protocol, hostname } = new URL(url);
  return protocol === 'http:' && !/^(?:127\.|localhost$|\[::1\]$)/.test(hostname);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return null;
  }
}

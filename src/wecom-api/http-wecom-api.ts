import { within } from '../runtime/within.js';
import type { Clock } from '../runtime/clock.js';
import { WecomApi, WecomApiRefusedError, WecomApiUnavailableError, type FollowRelation } from './wecom-api.js';

export interface ApiCredentials {
  readonly corpId: string;
  /** Never to be logged; it goes into the query string, so URLs are never logged either. */
  readonly secret: string;
}

export interface HttpWecomApiOptions {
  /** Without a slash at its end. */
  readonly baseUrl: string;
  readonly timeoutMs: number;
  /** By app name. */
  readonly credentials: ReadonlyMap<string, ApiCredentials>;
}

interface Answer {
  readonly errcode: number;
  readonly fields: Readonly<Record<string, unknown>>;
}

interface Token {
  readonly value: string;
  readonly endsAt: number;
}

// https://developer.work.weixin.qq.com/document/path/90313 — "by errcode, never by errmsg".
const TOKEN_CODES = new Set([40014, 41001, 42001]);
const BUSY_CODES = new Set([-1, 6000, 45009, 45033]);
const NO_MEMBER_CODES = new Set([60111]);
const NO_RELATION_CODES = new Set([84061, 40096]);

/** A token is fetched anew before WeCom ends it, so that none ends on its way. */
const TOKEN_MARGIN_MS = 300_000;
const ANSWER_BYTES_MAX = 1_048_576;
/** `follow_user` has 500 entries a page; no customer has more followers than this many pages. */
const PAGES_MAX = 20;

/** WeCom's API by HTTP; one token an app, fetched by one caller at a time. */
export class HttpWecomApi extends WecomApi {
  private readonly tokens = new Map<string, Promise<Token>>();

  constructor(
    private readonly clock: Clock,
    private readonly options: HttpWecomApiOptions,
  ) {
    super();
  }

  override isConfigured(app: string): boolean {
    return this.options.credentials.has(app);
  }

  override async hasFollowRelation(app: string, relation: FollowRelation, signal: AbortSignal): Promise<boolean> {
    let cursor = '';
    for (let page = 0; page < PAGES_MAX; page += 1) {
      const query = { external_userid: relation.externalUserId, ...(cursor ? { cursor } : {}) };
      const answer = await this.ask(app, 'externalcontact/get', query, NO_RELATION_CODES, signal);
      if (answer === null) return false;
      if (followersOf(answer).includes(relation.userId)) return true;
      const next = answer.fields['next_cursor'];
      if (typeof next !== 'string' || next === '') return false;
      cursor = next;
    }
    throw new WecomApiUnavailableError(`more than ${PAGES_MAX} pages of followers`);
  }

  override async hasMember(app: string, userId: string, signal: AbortSignal): Promise<boolean> {
    return (await this.ask(app, 'user/get', { userid: userId }, NO_MEMBER_CODES, signal)) !== null;
  }

  /** Null: one of `absentCodes`. A token that ended early, or that another holder replaced, is fetched once more. */
  private async ask(
    app: string,
    path: string,
    query: Readonly<Record<string, string>>,
    absentCodes: ReadonlySet<number>,
    signal: AbortSignal,
  ): Promise<Answer | null> {
    for (let isFresh = false; ; isFresh = true) {
      const token = await untilAborted(this.token(app), signal);
      const answer = await this.get(path, { access_token: token.value, ...query }, signal);
      if (TOKEN_CODES.has(answer.errcode) && !isFresh) {
        await this.forget(app, token);
        continue;
      }
      if (absentCodes.has(answer.errcode)) return null;
      return this.checked(app, answer);
    }
  }

  /** All who need a token wait for one request: WeCom limits these calls, and a new token may end the older one. */
  private async token(app: string): Promise<Token> {
    for (;;) {
      const held = this.tokens.get(app) ?? this.fetchToken(app);
      this.tokens.set(app, held);
      try {
        const token = await held;
        if (token.endsAt > this.clock.monotonic()) return token;
        if (this.tokens.get(app) === held) this.tokens.delete(app);
      } catch (error) {
        if (this.tokens.get(app) === held) this.tokens.delete(app);
        throw error;
      }
    }
  }

  /** Only the token that failed: a newer one, which somebody else fetched meanwhile, is kept. */
  private async forget(app: string, failed: Token): Promise<void> {
    const held = this.tokens.get(app);
    if (held && (await held.catch(() => null)) === failed && this.tokens.get(app) === held) this.tokens.delete(app);
  }

  private async fetchToken(app: string): Promise<Token> {
    const credentials = this.options.credentials.get(app);
    if (!credentials) throw new WecomApiRefusedError(app, 0);
    // Without a caller's signal: others wait for the same answer.
    const query = { corpid: credentials.corpId, corpsecret: credentials.secret };
    const answer = this.checked(app, await this.get('gettoken', query));
    const { access_token: value, expires_in: seconds } = answer.fields;
    if (typeof value !== 'string' || typeof seconds !== 'number') throw new WecomApiUnavailableError('no token in it');
    // A life of nothing would have it fetched in a loop.
    const lifeMs = Math.max(seconds, 60) * 1_000;
    return { value, endsAt: this.clock.monotonic() + Math.max(lifeMs - TOKEN_MARGIN_MS, lifeMs / 2) };
  }

  private checked(app: string, answer: Answer): Answer {
    const { errcode } = answer;
    if (errcode === 0) return answer;
    if (BUSY_CODES.has(errcode) || TOKEN_CODES.has(errcode)) throw new WecomApiUnavailableError(`errcode ${errcode}`);
    throw new WecomApiRefusedError(app, errcode);
  }

  private async get(path: string, query: Readonly<Record<string, string>>, signal?: AbortSignal): Promise<Answer> {
    const url = `${this.options.baseUrl}/cgi-bin/${path}?${new URLSearchParams(query).toString()}`;
    const stop = new AbortController();
    const onAbort = (): void => stop.abort(signal?.reason);
    signal?.addEventListener('abort', onAbort, { once: true });
    try {
      signal?.throwIfAborted();
      return await within(this.clock, this.options.timeoutMs, path, fetchAnswer(url, stop.signal));
    } catch (error) {
      signal?.throwIfAborted();
      if (error instanceof WecomApiUnavailableError) throw error;
      // The cause of a failed fetch holds host and port, never the query.
      throw new WecomApiUnavailableError(`${path} failed`, { cause: error });
    } finally {
      signal?.removeEventListener('abort', onAbort);
      stop.abort();
    }
  }
}

async function fetchAnswer(url: string, signal: AbortSignal): Promise<Answer> {
  const response = await fetch(url, { signal, redirect: 'error' });
  if (!response.ok) {
    await response.body?.cancel();
    throw new WecomApiUnavailableError(`status ${response.status}`);
  }
  const body: unknown = JSON.parse(await textOf(response));
  const fields = (typeof body === 'object' && body !== null ? body : {}) as Record<string, unknown>;
  const { errcode } = fields;
  // `gettoken` of some private deployments leaves it out where all is well.
  if (errcode !== undefined && typeof errcode !== 'number') throw new WecomApiUnavailableError('no errcode in it');
  if (errcode === undefined && Object.keys(fields).length === 0) throw new WecomApiUnavailableError('an empty answer');
  return { errcode: errcode ?? 0, fields };
}

/** A proxy's answer may be of any size. */
async function textOf(response: Response): Promise<string> {
  const decoder = new TextDecoder();
  let [text, bytes] = ['', 0];
  for await (const chunk of response.body ?? []) {
    bytes += (chunk as Uint8Array).byteLength;
    if (bytes > ANSWER_BYTES_MAX) throw new WecomApiUnavailableError(`more than ${ANSWER_BYTES_MAX} bytes`);
    text += decoder.decode(chunk as Uint8Array, { stream: true });
  }
  return text + decoder.decode();
}

function followersOf({ fields }: Answer): string[] {
  const list: unknown = fields['follow_user'];
  if (!Array.isArray(list)) throw new WecomApiUnavailableError('no follow_user in it');
  return list.flatMap((one: unknown) => {
    const { userid } = (typeof one === 'object' && one !== null ? one : {}) as { userid?: unknown };
    return typeof userid === 'string' ? [userid] : [];
  });
}

function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const stop = (): void => reject(signal.reason as Error);
    if (signal.aborted) stop();
    signal.addEventListener('abort', stop, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', stop));
  });
}

import { Agent, request } from 'node:http';
import { envelopeOf, queryString, seal, type TestCredentials } from './sealer.js';

export interface Answer {
  readonly status: number;
  readonly headers: Record<string, string | string[] | undefined>;
  readonly body: string;
  readonly ms: number;
}

export interface RequestParts {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Record<string, string>;
  readonly body?: string | Buffer;
  readonly timeoutMs?: number;
  /** The body in pieces of this many bytes, spread over `overMs`. */
  readonly chunks?: { readonly everyBytes: number; readonly overMs: number };
}

/** Plays WeCom. Rejects when no answer comes: the connection broke, or `timeoutMs` passed. */
export class WecomClient {
  private readonly agent = new Agent({ keepAlive: true, maxSockets: 64 });

  constructor(
    private readonly base: string,
    readonly app: string,
    readonly credentials: TestCredentials,
  ) {}

  /** Delivers a text as WeCom does: sealed anew, with a nonce and time of its own. */
  deliver(text: string, parts: Partial<RequestParts> = {}): Promise<Answer> {
    const { encrypt, query } = seal(this.credentials, text);
    return this.post(query, envelopeOf(this.credentials, encrypt), parts);
  }

  post(query: Record<string, string>, body: string | Buffer, parts: Partial<RequestParts> = {}): Promise<Answer> {
    const path = `/wecom/callbacks/${this.app}?${queryString(query)}`;
    return this.request({ method: 'POST', path, headers: { 'Content-Type': 'text/xml' }, body, ...parts });
  }

  verify(plain: string, receiveId = this.credentials.receiveId, headers: Record<string, string> = {}): Promise<Answer> {
    const { encrypt, query } = seal(this.credentials, plain, receiveId);
    const path = `/wecom/callbacks/${this.app}?${queryString({ ...query, echostr: encrypt })}`;
    return this.request({ method: 'GET', path, headers });
  }

  request({ method = 'GET', path, headers = {}, body, timeoutMs = 10_000, chunks }: RequestParts): Promise<Answer> {
    const begun = performance.now();
    const bytes = body === undefined ? undefined : Buffer.from(body);
    return new Promise((resolve, reject) => {
      const length = bytes && !chunks ? { 'Content-Length': String(bytes.length) } : {};
      const call = request(
        `${this.base}${path}`,
        { method, headers: { ...length, ...headers }, agent: this.agent },
        (response) => {
          const parts: Buffer[] = [];
          response.on('data', (part: Buffer) => parts.push(part));
          response.on('error', reject);
          response.on('end', () =>
            resolve({
              status: response.statusCode ?? 0,
              headers: response.headers,
              body: Buffer.concat(parts).toString('utf8'),
              ms: performance.now() - begun,
            }),
          );
        },
      );
      call.setTimeout(timeoutMs, () => call.destroy(new Error(`no answer within ${timeoutMs} ms`)));
      call.on('error', reject);
      if (bytes && chunks) void trickle(call, bytes, chunks);
      else call.end(bytes);
    });
  }

  close(): void {
    this.agent.destroy();
  }
}

async function trickle(
  call: ReturnType<typeof request>,
  bytes: Buffer,
  { everyBytes, overMs }: { everyBytes: number; overMs: number },
): Promise<void> {
  call.setNoDelay(true);
  const pauseMs = (overMs * everyBytes) / bytes.length;
  for (let at = 0; at < bytes.length; at += everyBytes) {
    call.write(bytes.subarray(at, at + everyBytes));
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
  call.end();
}

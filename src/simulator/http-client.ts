import {
  Agent as HttpAgent,
  request as httpRequest,
  type ClientRequest,
  type IncomingHttpHeaders,
  type IncomingMessage,
} from 'node:http';
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https';

export interface HttpRequest {
  readonly method: 'GET' | 'POST';
  readonly url: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
  /** From the first step to the last byte of the answer. */
  readonly timeoutMs: number;
  readonly answerBytesMax: number;
  /** Cuts the connection as soon as the request is out. */
  readonly hangsUp?: boolean;
}

export type HttpOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      readonly headers: IncomingHttpHeaders;
      readonly body: string;
    }
  /** `timeout`, `hung-up`, `too-long`, or the system's code, such as ECONNREFUSED. */
  | { readonly kind: 'failed'; readonly reason: string };

/** Requests over kept connections. Every request ends in a tagged outcome within its limit; nothing is thrown. */
export class HttpClient {
  private readonly http: HttpAgent;
  private readonly https: HttpsAgent;

  constructor(connectionCountMax: number) {
    const options = { keepAlive: true, maxSockets: connectionCountMax };
    this.http = new HttpAgent(options);
    this.https = new HttpsAgent(options);
  }

  send(request: HttpRequest): Promise<HttpOutcome> {
    return new Promise((resolve) => {
      const outgoing = this.open(request);
      const timer = setTimeout(() => end({ kind: 'failed', reason: 'timeout' }), request.timeoutMs);
      const end = (outcome: HttpOutcome): void => {
        clearTimeout(timer);
        if (outcome.kind === 'failed') outgoing.destroy();
        resolve(outcome);
      };
      outgoing.on('error', (error: NodeJS.ErrnoException) =>
        end({ kind: 'failed', reason: error.code ?? error.message }),
      );
      outgoing.on('response', (response) => collect(response, request.answerBytesMax, end));
      if (request.hangsUp === true) outgoing.on('finish', () => end({ kind: 'failed', reason: 'hung-up' }));
      outgoing.end(request.body);
    });
  }

  close(): void {
    this.http.destroy();
    this.https.destroy();
  }

  private open({ url, method, headers, body }: HttpRequest): ClientRequest {
    const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) };
    const options = { method, headers: { ...headers, ...length } };
    return url.startsWith('https:')
      ? httpsRequest(url, { ...options, agent: this.https })
      : httpRequest(url, { ...options, agent: this.http });
  }
}

function collect(response: IncomingMessage, bytesMax: number, end: (outcome: HttpOutcome) => void): void {
  const chunks: Buffer[] = [];
  let size = 0;
  response.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    if (size > bytesMax) end({ kind: 'failed', reason: 'too-long' });
  });
  // An answer that breaks off is none, whatever its first half says.
  response.on('error', (error: NodeJS.ErrnoException) => end({ kind: 'failed', reason: error.code ?? error.message }));
  response.on('end', () => {
    const { statusCode: status = 0, headers } = response;
    end({ kind: 'answered', status, headers, body: Buffer.concat(chunks).toString('utf8') });
  });
}

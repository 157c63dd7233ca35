import { Agent, request, type IncomingHttpHeaders } from 'node:http';

export interface Answer {
  readonly kind: 'answer';
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
  readonly ms: number;
}

/** No answer: the connection broke, or the sender gave up and cut it. */
export interface NoAnswer {
  readonly kind: 'broken' | 'cut';
  readonly ms: number;
}

export type Exchange = Answer | NoAnswer;

export interface HttpRequest {
  readonly method: string;
  /** With the query, encoded. */
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: Buffer;
  /** The sender cuts after this long. */
  readonly timeoutMs: number;
  readonly chunks?: { readonly everyBytes: number; readonly overMs: number };
}

/** One request on a connection of its own, so that no connection of a process that was killed is used again. */
export function exchange(
  base: string,
  { method, path, headers, body, timeoutMs, chunks }: HttpRequest,
): Promise<Exchange> {
  const begun = performance.now();
  const ms = (): number => performance.now() - begun;
  return new Promise((resolve) => {
    const length = body && !chunks ? { 'Content-Length': String(body.length) } : {};
    const { hostname, port } = new URL(base);
    const call = request(
      { hostname, port, path, method, headers: { ...length, ...headers }, agent: new Agent({ keepAlive: false }) },
      (response) => {
        const parts: Buffer[] = [];
        response.on('data', (part: Buffer) => parts.push(part));
        response.on('error', () => end({ kind: 'broken', ms: ms() }));
        response.on('end', () =>
          end({
            kind: 'answer',
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(parts).toString('utf8'),
            ms: ms(),
          }),
        );
      },
    );
    const timer = setTimeout(() => {
      end({ kind: 'cut', ms: ms() });
      call.destroy();
    }, timeoutMs);
    const end = (result: Exchange): void => {
      clearTimeout(timer);
      resolve(result);
    };
    // An answer that came before the body was all sent (413) counts, though the connection breaks afterwards.
    call.on('error', () => setTimeout(() => end({ kind: 'broken', ms: ms() }), 50));
    if (body && chunks) void trickle(call, body, chunks);
    else call.end(body);
  });
}

async function trickle(
  call: ReturnType<typeof request>,
  bytes: Buffer,
  { everyBytes, overMs }: { everyBytes: number; overMs: number },
): Promise<void> {
  call.setNoDelay(true);
  const begun = performance.now();
  for (let at = 0; at < bytes.length; at += everyBytes) {
    call.write(bytes.subarray(at, at + everyBytes));
    // By the clock and not by so many pauses: a timer has whole milliseconds at best.
    const aheadMs = (overMs * (at + everyBytes)) / bytes.length - (performance.now() - begun);
    if (aheadMs >= 1) await new Promise((resolve) => setTimeout(resolve, aheadMs));
    else await new Promise((resolve) => setImmediate(resolve));
  }
  call.end();
}

/** What a proxy, a log or tcpdump kept of one callback. */
export interface CapturedCallback {
  /** Null when the capture does not hold the URL. */
  readonly query: Readonly<Record<string, readonly string[]>> | null;
  /** Null when the capture does not hold the path of a callback. */
  readonly app: string | null;
  readonly body: Buffer;
}

const REQUEST_LINE = /^(?:GET|POST) (\S+) HTTP\/\d(?:\.\d)?\r?\n/;
const PATH = /\/wecom\/callbacks\/([A-Za-z0-9_-]{1,64})$/;
const HEAD_BYTES_MAX = 65_536;

/** A whole HTTP request, or its body alone. */
export function readCapture(bytes: Buffer): CapturedCallback {
  const head = bytes.subarray(0, HEAD_BYTES_MAX).toString('latin1');
  const line = REQUEST_LINE.exec(head);
  if (line === null) return { query: null, app: null, body: bytes };
  const end = /\r?\n\r?\n/.exec(head);
  const body = end === null ? Buffer.alloc(0) : bytes.subarray(end.index + end[0].length);
  return { ...readTarget(line[1] ?? ''), body };
}

/** A URL, a path with a query, or a query alone. */
export function readTarget(text: string): Pick<CapturedCallback, 'query' | 'app'> {
  const [path = '', query = path.includes('=') ? path : ''] = splitOnce(text, '?');
  const app = PATH.exec(path.replace(/\/+$/, ''))?.[1] ?? null;
  return { query: readQuery(query), app };
}

function splitOnce(text: string, mark: string): string[] {
  const at = text.indexOf(mark);
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

/** Percent-decoded once. A plus sign stays one: base64 has plus signs, and no blanks. */
function readQuery(query: string): Record<string, string[]> {
  const found: Record<string, string[]> = Object.create(null) as Record<string, string[]>;
  for (const part of query.replace(/#.*$/s, '').split('&')) {
    const [name = '', value = ''] = splitOnce(part.trim(), '=');
    if (name !== '') (found[decoded(name)] ??= []).push(decoded(value));
  }
  return found;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

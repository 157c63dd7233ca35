const ROOT = '/admin/api/v1';

/** An answer that is no success, with what the service said about it. */
export class ApiError extends Error {
  constructor(
    readonly status: number,
    message: string,
    readonly body: Readonly<Record<string, unknown>>,
    /** After how many seconds to ask again; null when it did not say. */
    readonly retryAfterSeconds: number | null,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

/** No answer at all: the service or the way to it is away. Its message is for developers; people get a translated one. */
export class UnreachableError extends Error {
  constructor(options: { cause: unknown }) {
    super('no answer', options);
    this.name = 'UnreachableError';
  }
}

// In memory only: a page that was reloaded asks for its session again, and gets it from there.
let csrfToken = '';

export function setCsrfToken(token: string): void {
  csrfToken = token;
}

export type Query = Readonly<Record<string, string | number | undefined>>;

/** Empty values are left out. */
export function pathWith(path: string, query: Query = {}): string {
  const parameters = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (value !== undefined && value !== '') parameters.set(key, String(value));
  }
  const text = parameters.toString();
  return text === '' ? path : `${path}?${text}`;
}

export function get<Answer>(path: string, query?: Query, signal?: AbortSignal): Promise<Answer> {
  return send<Answer>('GET', pathWith(path, query), undefined, signal);
}

export function post<Answer>(path: string, body: object = {}): Promise<Answer> {
  return send<Answer>('POST', path, body);
}

export function patch<Answer>(path: string, body: object): Promise<Answer> {
  return send<Answer>('PATCH', path, body);
}

export function remove(path: string): Promise<void> {
  return send<void>('DELETE', path);
}

/** Throws `ApiError` or `UnreachableError`. */
async function send<Answer>(method: string, path: string, body?: object, signal?: AbortSignal): Promise<Answer> {
  const headers: Record<string, string> = { accept: 'application/json' };
  if (method !== 'GET') headers['x-csrf-token'] = csrfToken;
  if (body !== undefined) headers['content-type'] = 'application/json';
  let response: Response;
  try {
    response = await fetch(`${ROOT}/${path}`, {
      ...{ method, headers, credentials: 'same-origin' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal ? { signal } : {}),
    });
  } catch (cause) {
    if (signal?.aborted) throw cause;
    throw new UnreachableError({ cause });
  }
  const text = await response.text();
  const answer = parsed(text);
  if (!response.ok) throw errorOf(response, answer);
  return answer as Answer;
}

function parsed(text: string): unknown {
  try {
    return text === '' ? undefined : JSON.parse(text);
  } catch {
    // A proxy's own page, say.
    return undefined;
  }
}

function errorOf(response: Response, answer: unknown): ApiError {
  const body = typeof answer === 'object' && answer !== null ? (answer as Record<string, unknown>) : {};
  const message = [body['message'] ?? response.statusText].flat().map(String).join('; ');
  const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
  return new ApiError(response.status, message, body, Number.isFinite(seconds) ? seconds : null);
}

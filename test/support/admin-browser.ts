export interface Answer {
  readonly status: number;
  readonly json: any;
  readonly headers: Headers;
}

/** What a browser does on the admin port: it keeps the cookie, and the page keeps the CSRF token. */
export class AdminBrowser {
  /** `name=value`; empty while there is none. */
  cookie = '';
  csrfToken = '';

  constructor(
    private readonly base: string,
    /** Sent with each request; a bearer token makes it a machine. */
    private readonly headers: Record<string, string> = {},
  ) {}

  async call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}): Promise<Answer> {
    const response = await fetch(`${this.base}/admin/api/v1/${path}`, {
      method,
      headers: {
        connection: 'close',
        ...(this.cookie === '' ? {} : { cookie: this.cookie }),
        ...(method === 'GET' || this.csrfToken === '' ? {} : { 'x-csrf-token': this.csrfToken }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
        ...this.headers,
        ...headers,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const [set] = response.headers.getSetCookie();
    if (set !== undefined) this.cookie = /^(\w+=[^;]+);/.exec(set)?.[1] ?? '';
    const text = await response.text();
    const json = text === '' ? null : JSON.parse(text);
    if (typeof json?.csrfToken === 'string') this.csrfToken = json.csrfToken;
    return { status: response.status, json, headers: response.headers };
  }

  login(name: string, password: string): Promise<Answer> {
    return this.call('POST', 'session', { name, password });
  }
}

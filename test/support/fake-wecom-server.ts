import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';

type Script = (response: ServerResponse) => void;

/** WeCom's API as far as the client uses it, on a loopback port. Followers come in pages of two. */
export class FakeWecomServer {
  readonly members = new Set<string>();
  readonly followers = new Map<string, string[]>();
  /** Paths without their queries, in order of arrival. */
  readonly paths: string[] = [];
  /** Answers for the next calls of a path, taken one by one before the ordinary ones. */
  readonly scripts = new Map<string, Script[]>();
  secret = 'secret-of-the-app';
  corpId = 'ww1';
  expiresIn = 7_200;
  private tokens = 0;
  private valid = '';
  private readonly server: Server = createServer((request, response) => this.serve(request, response));

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  /** WeCom may end a token early, or another holder fetched one. */
  endToken(): void {
    this.valid = '';
  }

  next(path: string, ...scripts: Script[]): void {
    this.scripts.set(path, [...(this.scripts.get(path) ?? []), ...scripts]);
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    const { pathname, searchParams } = new URL(request.url ?? '', 'http://localhost');
    const path = pathname.replace('/cgi-bin/', '');
    this.paths.push(path);
    const script = this.scripts.get(path)?.shift();
    if (script) script(response);
    else json(this.answer(path, searchParams))(response);
  }

  private answer(path: string, query: URLSearchParams): unknown {
    if (path === 'gettoken') return this.token(query);
    if (query.get('access_token') !== this.valid) return { errcode: 40014, errmsg: 'invalid access_token' };
    if (path === 'user/get') {
      return this.members.has(query.get('userid') ?? '')
        ? { errcode: 0, userid: query.get('userid') }
        : { errcode: 60111 };
    }
    const all = this.followers.get(query.get('external_userid') ?? '');
    if (!all) return { errcode: 84061 };
    const from = Number(query.get('cursor') ?? '0');
    const page = all.slice(from, from + 2).map((userid) => ({ userid }));
    return { errcode: 0, follow_user: page, next_cursor: from + 2 < all.length ? String(from + 2) : '' };
  }

  private token(query: URLSearchParams): unknown {
    if (query.get('corpsecret') !== this.secret || query.get('corpid') !== this.corpId) return { errcode: 40001 };
    this.valid = `token-${(this.tokens += 1)}`;
    return { errcode: 0, access_token: this.valid, expires_in: this.expiresIn };
  }
}

export function json(body: unknown, status = 200): Script {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json' });
    response.end(JSON.stringify(body));
  };
}

import { once } from 'node:events';
import { createReadStream, existsSync, readFileSync, statSync } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, normalize, resolve } from 'node:path';

const DIST = resolve(import.meta.dirname, '../../console/dist');
const TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
};
/** What the service will send; a console that needs more than this breaks here first. */
const POLICY =
  "default-src 'self'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'";

export interface StandInUser {
  readonly name: string;
  readonly role: 'viewer' | 'operator' | 'admin';
  readonly permissions: readonly string[];
}

/**
 * Stands in for the service's own serving and access control: the built console at /console/, and the real admin API
 * behind it by its bearer token. Only the session is made up.
 */
export class ConsoleServer {
  user: StandInUser | null = null;

  private constructor(
    private readonly server: Server,
    private readonly adminBase: string,
    private readonly token: string,
  ) {}

  static async start(adminBase: string, dataDir: string): Promise<ConsoleServer> {
    const server = createServer();
    const token = readFileSync(join(dataDir, 'admin-token'), 'utf8').trim();
    const console = new ConsoleServer(server, adminBase, token);
    server.on('request', (incoming, outgoing) => console.answer(incoming, outgoing));
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return console;
  }

  get base(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/console`;
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answer(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { pathname } = new URL(incoming.url ?? '/', 'http://localhost');
    if (pathname === '/admin/api/v1/session') return this.session(incoming, outgoing);
    if (pathname.startsWith('/admin/')) return this.forward(incoming, outgoing);
    this.file(pathname, outgoing);
  }

  private session({ method }: IncomingMessage, outgoing: ServerResponse): void {
    if (method === 'DELETE') this.user = null;
    const body = this.user
      ? { user: this.user, csrfToken: 'csrf', expiresAt: Date.now() + 3_600_000 }
      : { statusCode: 401, message: 'sign in', setupNeeded: false };
    outgoing.writeHead(this.user ? 200 : 401, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  }

  private forward(incoming: IncomingMessage, outgoing: ServerResponse): void {
    if (incoming.method !== 'GET' && incoming.headers['x-csrf-token'] !== 'csrf') {
      outgoing.writeHead(403).end('{"message":"no CSRF token"}');
      return;
    }
    const headers = { ...incoming.headers, authorization: `Bearer ${this.token}` };
    const onward = request(`${this.adminBase}${incoming.url}`, { method: incoming.method, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(outgoing);
    });
    onward.on('error', () => outgoing.destroy());
    incoming.pipe(onward);
  }

  /** Whatever is no file is a page of the console's own router. */
  private file(pathname: string, outgoing: ServerResponse): void {
    const path = join(DIST, normalize(pathname.replace(/^\/console/, '')));
    const isFile = path.startsWith(DIST) && existsSync(path) && statSync(path).isFile();
    const served = isFile ? path : join(DIST, 'index.html');
    outgoing.writeHead(200, {
      'content-type': TYPES[extname(served)] ?? 'application/octet-stream',
      'content-security-policy': POLICY,
    });
    createReadStream(served).pipe(outgoing);
  }
}

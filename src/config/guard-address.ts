/** PEM texts for TLS. The key is never to be logged. */
export interface Certificates {
  /** Whom to trust instead of the authorities that Node knows. */
  readonly ca?: string;
  /** What to show the server, and its key. */
  readonly cert?: string;
  readonly key?: string;
}

/** How to log in at a Redis. */
export interface GuardAccount {
  readonly tls: boolean;
  readonly certificates?: Certificates;
  readonly username?: string;
  readonly password?: string;
  readonly db: number;
}

/** Where a Redis is and how to log in there. */
export interface GuardAddress extends GuardAccount {
  readonly host: string;
  readonly port: number;
}

const DEFAULT_PORT = 6_379;

/**
 * Reads `redis://user:password@host:port/db`, or `rediss://…` for TLS; null when it is anything else. Options behind a
 * `?` are refused: the client would take some of them over, and those that keep a call from running late are not for
 * users to change.
 */
export function parseRedisUrl(text: string, defaultPort = DEFAULT_PORT): GuardAddress | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const isRedis = url.protocol === 'redis:' || url.protocol === 'rediss:';
  const path = /^\/?(\d{0,5})$/.exec(url.pathname);
  if (!isRedis || path === null || url.hostname === '' || url.search !== '' || url.hash !== '') return null;
  try {
    return {
      host: url.hostname.replace(/^\[(.*)\]$/, '$1'),
      port: url.port === '' ? defaultPort : Number(url.port),
      tls: url.protocol === 'rediss:',
      ...(url.username === '' ? {} : { username: decodeURIComponent(url.username) }),
      ...(url.password === '' ? {} : { password: decodeURIComponent(url.password) }),
      db: Number(path[1] || 0),
    };
  } catch {
    // A percent sign that encodes nothing.
    return null;
  }
}

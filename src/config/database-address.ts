/** Where a MySQL or MariaDB is and how to log in there. */
export interface DatabaseAddress {
  readonly host: string;
  readonly port: number;
  readonly tls: boolean;
  readonly username: string;
  readonly password: string;
  readonly database: string;
}

const DEFAULT_PORT = 3_306;
const SCHEMES = ['mysql:', 'mariadb:'];

/**
 * Reads `mysql://user:password@host:port/database`, with `?tls=true` for TLS; null when it is anything else. Other
 * options are refused: the client would take some of them over, and those that decide what a statement means (affected
 * rows, time zone, several statements in one) are not for users to change.
 */
export function parseDatabaseUrl(text: string): DatabaseAddress | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  const path = /^\/([^/]+)$/.exec(url.pathname);
  const options = /^(\?tls=(true|false))?$/.exec(url.search);
  if (!SCHEMES.includes(url.protocol) || path === null || options === null || url.hash !== '') return null;
  if (url.hostname === '' || url.username === '') return null;
  try {
    return {
      host: decodeURIComponent(url.hostname.replace(/^\[(.*)\]$/, '$1')),
      port: url.port === '' ? DEFAULT_PORT : Number(url.port),
      tls: options[2] === 'true',
      username: decodeURIComponent(url.username),
      password: decodeURIComponent(url.password),
      database: decodeURIComponent(path[1] ?? ''),
    };
  } catch {
    // A percent sign that encodes nothing.
    return null;
  }
}

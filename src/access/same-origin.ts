export interface OriginHeaders {
  readonly 'sec-fetch-site'?: string | string[] | undefined;
  readonly origin?: string | string[] | undefined;
}

/**
 * Whether the page that sent a request may be one of ours. Browsers say so in `Sec-Fetch-Site`, which no page can set and
 * no proxy changes, but only over TLS and on loopback; `Origin` is the fallback, compared with the host that was asked for.
 * A program that is no browser sends neither and has no session of anybody else to misuse.
 */
export function isSameOrigin(headers: OriginHeaders, host: string): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  const { origin } = headers;
  if (origin === undefined) return true;
  const url = urlOf(origin);
  return url !== null && url.host === host.toLowerCase();
}

/** Whether a browser drops a cookie that is marked `Secure`: on plain HTTP, other than loopback. */
export function dropsSecureCookies({ origin }: OriginHeaders): boolean {
  const url = urlOf(origin);
  if (url === null || url.protocol !== 'http:') return false;
  return !(url.hostname === 'localhost' || url.hostname.endsWith('.localhost') || isLoopback(url.hostname));
}

/** Null for `null`, which is the origin of a sandboxed page. */
function urlOf(origin: string | string[] | undefined): URL | null {
  return typeof origin === 'string' && URL.canParse(origin) ? new URL(origin) : null;
}

function isLoopback(host: string): boolean {
  return host === '[::1]' || /^127(\.\d+){3}$/.test(host);
}

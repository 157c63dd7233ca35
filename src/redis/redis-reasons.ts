/** Redis tells its errors apart by their first word; that is its protocol, not wording. */
const CODE = /^([A-Z]{3,})\b/;
/**
 * The server answers, but another one has to be asked: it is a replica, or has lost its master or its cluster, or still
 * loads its data.
 * Before Redis 7, what a command inside a script is refused with stands further back, behind a hyphen.
 */
const ELSEWHERE = /(?:^|-)(?:READONLY|MASTERDOWN|CLUSTERDOWN|LOADING)\b/;
const REASON_LENGTH_MAX = 100;

/** True when a new connection may lead to a server that can do what this one refuses. */
export function sendsElsewhere(error: unknown): boolean {
  return error instanceof Error && ELSEWHERE.test(error.message);
}

/**
 * Why Redis is away, for health pages that anybody may read: the code where there is one, since messages of the system
 * name hosts, and those of Redis may repeat what was sent.
 */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const replyCode = CODE.exec(error.message)?.[1];
  if (replyCode !== undefined && replyCode !== 'ERR') return `Redis answered ${replyCode}`;
  const { code } = error as NodeJS.ErrnoException;
  if (code === 'TIME_LIMIT') return error.message;
  if (code !== undefined) return `${tlsFault(code) ?? 'no connection'} (${code})`;
  return replyCode === 'ERR' ? 'Redis answered ERR' : error.message.slice(0, REASON_LENGTH_MAX);
}

/** Codes of OpenSSL and of Node's own check of the name; a certificate is looked at on every new connection. */
function tlsFault(code: string): string | null {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') return "the server's certificate is for another host";
  if (/CERTIFICATE_REQUIRED|HANDSHAKE_FAILURE/.test(code)) return 'the server wants a certificate that it did not get';
  if (/ALERT/.test(code)) return 'the server refuses the certificate shown to it';
  if (/^(?:CERT|UNABLE_TO_|SELF_SIGNED|DEPTH_ZERO|INVALID_CA|ERR_TLS_)/.test(code))
    return "the server's certificate is not trusted";
  return null;
}

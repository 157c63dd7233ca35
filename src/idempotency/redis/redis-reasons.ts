/** Redis tells its errors apart by their first word; that is its protocol, not wording. */
const CODE = /^([A-Z]{3,})\b/;
/**
 * The server answers, but another one has to be asked: it is a replica, or has lost its master, or still loads its data.
 * Before Redis 7, what a command inside a script is refused with stands further back, behind a hyphen.
 */
const ELSEWHERE = /(?:^|-)(?:READONLY|MASTERDOWN|LOADING)\b/;
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
  if (code !== undefined) return `no connection (${code})`;
  return replyCode === 'ERR' ? 'Redis answered ERR' : error.message.slice(0, REASON_LENGTH_MAX);
}

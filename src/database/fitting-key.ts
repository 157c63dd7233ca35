import { createHash } from 'node:crypto';

/**
 * The text, if it fits into a key column of `charsMax` characters; otherwise its head and a digest of all of it, so that
 * two long keys with one head stay two. SQLite's columns have no length and need none of this.
 */
export function fittingKey(text: string, charsMax: number): string {
  if (text.length <= charsMax) return text;
  const digest = createHash('sha256').update(text).digest('base64url');
  return `${text.slice(0, charsMax - digest.length - 1)}~${digest}`;
}

import { createHash } from 'node:crypto';

// What varies from one event to the next in messages of one cause, longest first.
const VARIABLE: readonly (readonly [RegExp, string])[] = [
  [/https?:\/\/\S+/gi, '<url>'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/gi, '<id>'],
  [/"[^"\n]{0,500}"|'[^'\n]{0,500}'|`[^`\n]{0,500}`|“[^”\n]{0,500}”/g, '<text>'],
  // Ids of WeCom and keys of ours: long runs of letters that hold a digit.
  [/\b(?=[\w%/+=-]*\d)[\w%/+=-]{16,}/g, '<id>'],
  [/\d+(?:[.,:]\d+)*/g, '<n>'],
];
const MESSAGE_LENGTH_MAX = 2_000;
const CODE_LENGTH_MAX = 40;

/** The message without what varies, so that dead letters of one cause read alike. */
export function normalisedMessage(message: string): string {
  let text = message.slice(0, MESSAGE_LENGTH_MAX);
  for (const [pattern, name] of VARIABLE) text = text.replace(pattern, name);
  return text.replace(/\s+/g, ' ').trim();
}

/**
 * What failures of one cause have in common: the error's code and its message less what varies. Not the handler: a
 * database that is away, or a contract that changed, is one cause in all of them. Fit for a URL and for an ascii column.
 */
export function errorGroupOf(code: string | null, message: string | null): string | null {
  if (code === null) return null;
  const digest = createHash('sha256')
    .update(`${code}\n${normalisedMessage(message ?? '')}`)
    .digest('base64url');
  return `${code.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, CODE_LENGTH_MAX)}.${digest.slice(0, 12)}`;
}

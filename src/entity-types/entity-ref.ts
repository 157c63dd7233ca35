import { createHash } from 'node:crypto';

/** One business object. The receiver is part of it: each app processes its own copy of a happening. */
export interface EntityRef {
  readonly receiver: string;
  readonly corpId: string;
  readonly entityType: string;
  readonly entityId: string;
}

// Room for the longest ids that WeCom documents (64 characters each), escaped; the column holds 512.
const KEY_LENGTH_MAX = 400;

/**
 * The entity as one string: ordering key of its messages and `entity_key` of its rows. The parts are escaped, so that
 * ("a/b", "c") and ("a", "b/c") differ; a key that would not fit its column keeps its head and is told apart by a digest.
 */
export function entityKeyOf(ref: EntityRef): string {
  const parts = [ref.receiver, ref.corpId, ref.entityType, ref.entityId];
  const key = parts.map(escaped).join('/');
  if (key.length <= KEY_LENGTH_MAX) return key;
  const digest = createHash('sha256').update(key).digest('base64url');
  return `${key.slice(0, KEY_LENGTH_MAX - digest.length - 1)}~${digest}`;
}

const LONE_SURROGATE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;

/** One spelling a text: half a character, which JSON can hold, has none in a URL; `~` marks a key that was shortened. */
function escaped(part: string): string {
  const whole = part.split(LONE_SURROGATE).map((text) => encodeURIComponent(text).replaceAll('~', '%7E'));
  const halves = (part.match(LONE_SURROGATE) ?? []).map((half) => `%u${half.charCodeAt(0).toString(16)}`);
  return whole.flatMap((text, at) => [text, halves[at] ?? '']).join('');
}

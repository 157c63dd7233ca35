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
  const key = parts.map((part) => encodeURIComponent(part)).join('/');
  if (key.length <= KEY_LENGTH_MAX) return key;
  const digest = createHash('sha256').update(key).digest('base64url');
  return `${key.slice(0, KEY_LENGTH_MAX - digest.length - 1)}~${digest}`;
}

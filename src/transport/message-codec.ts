import { createHash } from 'node:crypto';
import type { Message } from './message.js';

export type Decoded =
  | { readonly kind: 'message'; readonly message: Message }
  /** Not ours, or broken: a dead letter with the reason. */
  | { readonly kind: 'foreign'; readonly reason: string }
  /** Written by a newer version: not guessed at, it waits for a worker that knows it. */
  | { readonly kind: 'newer'; readonly version: number };

const VERSION = 1;

export function encodeMessage(message: Message): string {
  return JSON.stringify(message);
}

const EVENT_KEY = /^[0-9a-f]{64}$/;
const TEXTS = ['eventKey', 'app', 'corpId', 'eventType', 'plaintext'] as const;
const TEXTS_OR_NULL = ['changeType', 'entityKey', 'msgId', 'payloadKeyId', 'trace'] as const;

/** Reads a body from a topic that others may write to. Unknown fields are kept; wrong ones are named. Never throws. */
export function decodeMessage(body: string): Decoded {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return { kind: 'foreign', reason: body === '' ? 'an empty record' : 'not JSON' };
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed))
    return { kind: 'foreign', reason: 'not an object' };
  const fields = parsed as Record<string, unknown>;
  if (typeof fields['v'] !== 'number') return { kind: 'foreign', reason: 'no version' };
  if (fields['v'] > VERSION) return { kind: 'newer', version: fields['v'] };
  const wrong = wrongField(fields);
  return wrong ? { kind: 'foreign', reason: wrong } : { kind: 'message', message: parsed as Message };
}

/** The identity of a record that is no message: equal bytes are one dead letter. */
export function foreignKey(body: string): string {
  return createHash('sha256').update('foreign\n').update(body).digest('hex');
}

function wrongField(fields: Record<string, unknown>): string | null {
  for (const name of TEXTS) if (typeof fields[name] !== 'string') return `${name} is not text`;
  if (!EVENT_KEY.test(String(fields['eventKey']))) return 'eventKey is not 64 hex digits';
  if (fields['eventType'] === '') return 'eventType is empty';
  for (const name of TEXTS_OR_NULL) {
    if (fields[name] !== null && typeof fields[name] !== 'string') return `${name} is neither text nor null`;
  }
  if (fields['createTime'] !== null && !Number.isSafeInteger(fields['createTime'])) return 'createTime is not a number';
  // A lone surrogate does not survive a database: the row would have another text than the message.
  const isBroken = (name: string): boolean => typeof fields[name] === 'string' && !fields[name].isWellFormed();
  const broken = [...TEXTS, ...TEXTS_OR_NULL].find(isBroken);
  if (broken !== undefined) return `${broken} is not well-formed Unicode`;
  const gateway = fields['gateway'] as Record<string, unknown> | null | undefined;
  if (typeof gateway !== 'object' || gateway === null) return 'gateway is missing';
  return Number.isSafeInteger(gateway['receivedAt']) ? null : 'gateway.receivedAt is not a number';
}

import { hash } from 'node:crypto';
import { canonical } from './canonical.js';
import { type ParsedPlaintext, UNPARSED_EVENT_TYPE } from './parse-event.js';

export interface EventKeyInput {
  /** Name of the app whose URL was called: WeCom sends one happening to every app that may see it. */
  readonly receiver: string;
  readonly parsed: ParsedPlaintext;
  readonly receiveId: string;
  readonly plaintext: string;
  /** Dot paths of elements that differ between the deliveries of one event. */
  readonly volatile: readonly string[];
}

/**
 * The identity of an event (protocol.md, "Identity of an event"), 64 hex digits. Only from what WeCom signed and would
 * send again in a retry: never from ciphertext, nonce or time of the request. Changing what goes in makes a new event
 * of every retry and redelivery that is under way during the upgrade.
 */
export function eventKey({ receiver, parsed, receiveId, plaintext, volatile }: EventKeyInput): string {
  if (parsed.kind === 'unparsed') return digest([receiver, receiveId, UNPARSED_EVENT_TYPE, 'raw', plaintext]);
  const { corpId, eventType, msgId } = parsed.event;
  // Two corps can share a MsgId, and so can two apps; the parts before it keep them apart.
  if (msgId !== null) return digest([receiver, corpId, eventType, 'id', msgId]);
  return digest([receiver, corpId, eventType, 'text', canonical(parsed.root, volatile)]);
}

/** Each part has its length in front, so that ("a", "bc") and ("ab", "c") differ. */
function digest(parts: readonly string[]): string {
  return hash('sha256', parts.map((part) => `${part.length}:${part}`).join(''), 'hex');
}

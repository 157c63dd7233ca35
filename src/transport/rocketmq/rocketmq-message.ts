import { createHash } from 'node:crypto';
import type { OutgoingMessage } from '../transport.js';
import type { ReceivedMessage, RocketMqMessage } from './rocketmq-client.js';

/**
 * The broker takes 4 MiB of body, but the client's gRPC takes 4 MiB with everything around it: a larger message could be
 * sent and never be received again, and its queue would stand still for good (measured).
 */
export const ROCKETMQ_BODY_BYTES_MAX = 4_000_000;

const KEY_PROPERTY = 'orderingKey';
const EMPTY_PROPERTY = 'isEmpty';
// What the proxy takes for a body when there is none.
const EMPTY_BODY = Buffer.from(' ');

/**
 * A message group has at most 64 bytes and no control characters, so it is the key's digest; the key itself travels as a
 * property, where operators can read it. An empty body is refused by the proxy, so it is marked.
 */
export function toRocketMq({ orderingKey, body }: OutgoingMessage): RocketMqMessage {
  const bytes = Buffer.from(body);
  if (bytes.length > ROCKETMQ_BODY_BYTES_MAX)
    throw new RangeError(`a body of ${bytes.length} bytes is larger than RocketMQ's ${ROCKETMQ_BODY_BYTES_MAX}`);
  const properties = new Map([[KEY_PROPERTY, encodeURIComponent(orderingKey.toWellFormed())]]);
  if (bytes.length === 0) properties.set(EMPTY_PROPERTY, '1');
  return { messageGroup: messageGroupOf(orderingKey), body: bytes.length === 0 ? EMPTY_BODY : bytes, properties };
}

export function messageGroupOf(orderingKey: string): string {
  return createHash('sha256').update(orderingKey).digest('base64url');
}

/** Others may write to the topic too: what has no key of ours is ordered by its message group, or by nothing. */
export function orderingKeyOf(message: ReceivedMessage): string {
  const encoded = message.properties.get(KEY_PROPERTY);
  if (encoded !== undefined) {
    try {
      return decodeURIComponent(encoded);
    } catch {
      return encoded;
    }
  }
  return message.messageGroup || message.messageId;
}

export function bodyOf(message: ReceivedMessage): string {
  return message.properties.has(EMPTY_PROPERTY) ? '' : message.body.toString('utf8');
}

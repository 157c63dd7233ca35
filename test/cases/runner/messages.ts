import type { JournalLine } from '../product/control.js';
import type { Delivered } from './ledger.js';
import { ensure } from './verdict.js';

export interface PublishedMessage {
  readonly topic: string;
  readonly orderingKey: string;
  readonly body: string;
  readonly eventKey: string;
  readonly app: string;
  readonly corpId: string;
  readonly plaintext: string;
}

/** Records that the product has put onto the main topic, oldest first. */
export function publishedMessages(journal: readonly JournalLine[]): PublishedMessage[] {
  return journal.flatMap((line) => {
    if (line.kind !== 'published') return [];
    const { topic, orderingKey, body } = line;
    const { eventKey, app, corpId, plaintext } = JSON.parse(body) as PublishedMessage;
    return [{ topic, orderingKey, body, eventKey, app, corpId, plaintext }];
  });
}

/** The record of a delivery as it lies on the main topic. */
export function messageOf({ app, text }: Delivered, journal: readonly JournalLine[]): PublishedMessage {
  const found = publishedMessages(journal).findLast((message) => message.app === app && message.plaintext === text);
  ensure(found !== undefined, 'the delivery has no record on the main topic');
  return found;
}

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

/** Messages that were put onto a topic and not settled there. */
export function underWay(journal: readonly JournalLine[]): number {
  const counts = new Map<string, number>();
  for (const line of journal) {
    if (line.kind !== 'sent' && line.kind !== 'settled') continue;
    const name = `${line.topic} ${line.body}`;
    const count = counts.get(name) ?? 0;
    counts.set(name, count + (line.kind === 'sent' ? 1 : -1));
  }
  // One that came twice is settled twice; and who settles may be ahead of who notes that it was sent.
  return [...counts.values()].reduce((sum, count) => sum + Math.max(0, count), 0);
}

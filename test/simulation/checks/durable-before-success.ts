import { decodeMessage } from '../../../src/transport/message-codec.js';
import type { StoredMessage } from '../ports/broker.js';
import { Check, type Answered, type View } from './check.js';

/** I1: when WeCom is told `success`, the event is on the transport, in a spool that was synced, or in a row. */
export class DurableBeforeSuccess extends Check {
  private readonly published = new Set<string>();

  constructor() {
    super('I1 no success without a durable copy');
  }

  override onPublish({ body }: StoredMessage): void {
    const key = textIn(body);
    if (key !== null) this.published.add(key);
  }

  override onAnswered({ event, gateway, how }: Answered, view: View): void {
    const key = `${event.app}\n${event.plaintext}`;
    if (this.published.has(key)) return;
    if (view.spooled().some(({ body }) => textIn(body) === key)) return;
    if (view.rows('event_log').some(({ app, plaintext }) => `${String(app)}\n${String(plaintext)}` === key)) return;
    this.violate(`${gateway} answered success for event ${event.number} (${how}), which is kept nowhere`);
  }
}

/** By app and text: a wrong event key must not make two events one for the checker too. */
export function textIn(body: string): string | null {
  const decoded = decodeMessage(body);
  return decoded.kind === 'message' ? `${decoded.message.app}\n${decoded.message.plaintext}` : null;
}

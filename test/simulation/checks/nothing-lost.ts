import { Check, type View } from './check.js';
import { textIn } from './durable-before-success.js';

/** I2: what was accepted has an outcome, or waits where it can be seen. */
export class NothingLost extends Check {
  constructor() {
    super('I2 nothing accepted is lost');
  }

  override atEnd(view: View): void {
    const known = new Set(view.rows('event_log').map(({ app, plaintext }) => `${String(app)}\n${String(plaintext)}`));
    for (const { body } of [...view.unsettled('events'), ...view.spooled()]) known.add(textIn(body) ?? '');
    for (const { app, plaintext, number, acceptedAt } of view.events) {
      if (acceptedAt !== null && !known.has(`${app}\n${plaintext}`))
        this.violate(`event ${number} was accepted and is nowhere`);
    }
  }
}

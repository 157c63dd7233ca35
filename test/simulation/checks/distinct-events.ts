import { Check, type Answered, type View } from './check.js';

/** I10: two events that differ in receiver, corp or text are never taken for one. */
export class DistinctEvents extends Check {
  private readonly byKey = new Map<string, string>();

  constructor() {
    super('I10 two distinct events are never merged');
  }

  override onAnswered({ event, eventKey }: Answered, _view: View): void {
    if (eventKey === '') return;
    const identity = `${event.app}\n${event.corpId}\n${event.plaintext}`;
    const known = this.byKey.get(eventKey);
    if (known !== undefined && known !== identity) this.violate(`event ${event.number} was taken for another one`);
    this.byKey.set(eventKey, identity);
  }
}

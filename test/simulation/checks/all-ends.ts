import { Check, type View } from './check.js';

/** I7: once the faults have stopped, everything comes to its end in bounded time. */
export class AllEnds extends Check {
  constructor() {
    super('I7 all ends');
  }

  override atEnd(view: View): void {
    for (const topic of ['events', 'dlq'])
      for (const { offset } of view.unsettled(topic)) this.violate(`${topic}@${offset} is still unsettled`);
    for (const { body } of view.spooled()) this.violate(`a spool still holds ${body.slice(0, 80)}`);
    for (const { msg_id_or_hash, status, attempt, due_at } of view.rows('event_log')) {
      if (['RETRY', 'PARKED', 'REDRIVEN', 'DEAD'].includes(String(status)))
        this.violate(
          `${String(msg_id_or_hash).slice(0, 8)} still waits: ${String(status)}, attempt ${Number(attempt)}, due ${String(due_at)}`,
        );
    }
    for (const { idempotency_key } of view.rows('outbox'))
      this.violate(`the command ${String(idempotency_key).slice(0, 80)} is still there`);
  }
}

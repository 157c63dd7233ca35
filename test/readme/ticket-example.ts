// The parts between the marks stand in docs/handlers.md and its Chinese page; see test/e2e/handler-guide.e2e-spec.ts.

// guide:entity-type
import { defineEntityType, textAt } from '../../src/index.js';

/** A service ticket: each event carries a change, so they wait for each other. */
export const ticket = defineEntityType({
  name: 'ticket',
  events: ['ticket_changed'],
  entityKey: ({ fields }) => textAt(fields, 'TicketId'),
});
// guide:end

// guide:machine
import type { StateMachine } from '../../src/index.js';

type State = 'NONE' | 'OPEN' | 'CLOSED';
type Trigger = 'open' | 'close';

export const ticketMachine: StateMachine<State, Trigger> = {
  name: 'ticket',
  initial: 'NONE',
  states: ['NONE', 'OPEN', 'CLOSED'],
  tombstones: ['CLOSED'],
  triggers: ['open', 'close'],
  trigger: ({ fields }) => (textAt(fields, 'Action') === 'open' ? 'open' : 'close'),
  transitions: {
    NONE: { open: { to: 'OPEN' }, close: { to: 'CLOSED', unconfirmed: true } },
    OPEN: { close: { to: 'CLOSED' } },
    CLOSED: { open: { to: 'OPEN' } },
  },
};
// guide:end

// guide:handler
import { WecomEventHandler } from '../../src/index.js';
import type { HandlerContext, WecomEvent, WecomHandler } from '../../src/index.js';

@WecomEventHandler({ event: 'ticket_changed', machine: ticketMachine })
export class TicketHandler implements WecomHandler {
  async handle({ fields }: WecomEvent, { move, outbox }: HandlerContext): Promise<void> {
    if (move?.to !== 'CLOSED') return;
    const body = JSON.stringify({ ticket: textAt(fields, 'TicketId') });
    // Sent after the commit, until the other side accepts it.
    outbox.add({ kind: 'http', name: 'tell-crm', url: 'https://crm.example.com/closed-tickets', body });
  }
}
// guide:end

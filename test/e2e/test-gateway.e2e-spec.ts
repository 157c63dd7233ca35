import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { defineEntityType, UnrecoverableError, WecomEventHandler } from '../../src/index.js';
import type { HandlerContext, WecomEvent, WecomHandler } from '../../src/index.js';
import { TestGateway } from '../../src/testing/test-gateway.js';
import { CreateInbox1800000000000, InboxRow, TextMessageHandler } from '../readme/handler-example.js';

const ticket = defineEntityType({
  name: 'ticket',
  events: ['ticket_changed'],
  entityKey: ({ fields }) => fields['TicketId'] as string,
});

@WecomEventHandler({ event: 'ticket_changed' })
class TicketHandler implements WecomHandler {
  async handle({ fields }: WecomEvent, { attempt }: HandlerContext): Promise<void> {
    if (fields['Title'] === 'broken') throw new UnrecoverableError('a title that cannot be');
    if (fields['Title'] === 'flaky' && attempt < 3) throw new Error('not yet');
  }
}

describe('TestGateway', () => {
  let gateway: TestGateway;

  beforeAll(async () => {
    gateway = await TestGateway.start({
      handlers: [TextMessageHandler, TicketHandler],
      entityTypes: [ticket],
      entities: [InboxRow],
      migrations: [CreateInbox1800000000000],
    });
  });

  afterAll(() => gateway?.stop());

  const changed = (id: string, title: string, time: number) =>
    gateway.deliver({ MsgType: 'event', Event: 'ticket_changed', TicketId: id, Title: title, CreateTime: time });

  it('delivers an event to a handler and reads what it wrote', async () => {
    const delivered = await gateway.deliver({ MsgType: 'text', MsgId: '1', FromUserName: 'LiSi', Content: '你好' });

    expect(delivered).toMatchObject({ status: 'APPLIED' });
    const inbox = await gateway.read((manager) => manager.find(InboxRow));
    expect(inbox).toMatchObject([{ eventKey: delivered.eventKey, sender: 'LiSi', content: '你好' }]);
  });

  it('waits for the retries of a handler that fails at first', async () => {
    expect(await changed('t1', 'flaky', 1_796_000_000)).toMatchObject({ status: 'APPLIED' });
  });

  it('tells a late event from the reason in its history', async () => {
    await changed('t2', 'first', 1_796_000_010);
    const late = await changed('t2', 'older', 1_796_000_005);

    expect(late.status).toBe('STALE');
    expect(late.reason).toContain('1796000005');
  });

  it('does not wait for what is parked behind a dead letter', async () => {
    expect(await changed('t3', 'broken', 1_796_000_020)).toMatchObject({ status: 'DEAD' });
    expect(await changed('t3', 'fine', 1_796_000_021)).toMatchObject({ status: 'PARKED' });
  });
});

import { expect, it } from 'vitest';
import type { HandlerView } from '../../api/views.js';
import { handlerGroups } from './handler-groups.js';

const handler = (event: string, name: string): HandlerView => ({
  ...{
    event,
    name,
    builtIn: true,
    machine: null,
    entityType: null,
    order: null,
    statuses: { APPLIED: 3 },
    runs: 3,
    failedRuns: 0,
  },
});

it('puts together what one handler takes of one event type, and nothing else', () => {
  const groups = handlerGroups([
    ...[handler('chat/create', 'Chat'), handler('chat/dismiss', 'Chat'), handler('chat/odd', 'Other')],
    handler('text', 'Chat'),
  ]);
  expect(groups.map(({ eventType, name, changeTypes }) => [eventType, name, changeTypes])).toEqual([
    ['chat', 'Chat', ['create', 'dismiss']],
    ['chat', 'Other', ['odd']],
    ['text', 'Chat', []],
  ]);
});

it('adds up the figures of what it puts together', () => {
  const [group] = handlerGroups([
    { ...handler('chat/create', 'Chat'), failedRuns: 1 },
    { ...handler('chat/dismiss', 'Chat'), statuses: { APPLIED: 1, DEAD: 2 }, runs: 9, failedRuns: 8 },
  ]);
  expect(group).toMatchObject({ statuses: { APPLIED: 4, DEAD: 2 }, runs: 12, failedRuns: 9 });
});

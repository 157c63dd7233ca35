import { expect, it } from 'vitest';
import type { ChangeView, TailItemView } from '../../api/views.js';
import { isProblem, timelineOf } from './timeline.js';

const decided = (id: number, eventKey: string, decision: TailItemView['decision']): TailItemView => ({
  ...{ id, eventKey, decision, at: id, actor: 'worker', instance: 'one', reason: '', generation: 0, attempt: 1 },
  ...{ eventId: id, app: 'demo', eventType: 'a', changeType: null, entityKey: 'k' },
});
const change = (eventKey: string): ChangeView => ({
  ...{ entityKey: 'k', eventKey, fromState: 'NONE', toState: 'RUNNING', createTime: 1, eventRank: 0, at: 1 },
});

it('tells the move with the decision that made it, not with those before', () => {
  const entries = timelineOf(
    [decided(1, 'a', 'RETRY'), decided(2, 'a', 'APPLIED'), decided(3, 'b', 'STALE')],
    [change('a')],
  );
  expect(entries.map(({ change: move }) => move?.toState ?? null)).toEqual([null, 'RUNNING', null]);
});

it.each([
  ['APPLIED', false],
  ['DUPLICATE', false],
  ['STALE', true],
  ['REJECTED', true],
  ['DEAD', true],
] as const)('counts %s as a problem: %s', (decision, expected) => {
  const [entry] = timelineOf([decided(1, 'a', decision)], []);
  expect(entry && isProblem(entry)).toBe(expected);
});

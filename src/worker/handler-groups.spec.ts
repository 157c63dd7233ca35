import { describe, expect, it } from 'vitest';
import type { WecomHandler } from '../handlers/wecom-handler.js';
import { groupRuns } from './handler-groups.js';

const handle = async (): Promise<void> => undefined;
const [one]: WecomHandler[] = [{ handle }];
const [many, others]: WecomHandler[] = [
  { handle, handleMany: handle },
  { handle, handleMany: handle },
];
const run = (handler: WecomHandler | undefined, name: string, ...entityKeys: string[]) => ({
  ...{ handler: handler as WecomHandler, name, entityKeys },
});
type Named = ReturnType<typeof run>;
const names = (runs: readonly Named[]): string[] =>
  groupRuns(runs).map((group) => group.map(({ name }) => name).join());

describe('runs of handlers', () => {
  it.each<[string, Named[], string[]]>([
    ['none', [], []],
    ['by themselves where a handler takes one', [run(one, '1', 'a'), run(one, '2', 'b')], ['1', '2']],
    [
      'together where it takes many, whatever stands between them',
      [run(many, '1', 'a'), run(one, '2', 'b'), run(many, '3', 'c'), run(others, '4'), run(many, '5')],
      ['1,3,5', '2', '4'],
    ],
    ['together for one entity', [run(many, '1', 'a'), run(many, '2', 'a')], ['1,2']],
    [
      'in order where an entity has two handlers',
      [run(many, '1', 'a'), run(one, '2', 'b'), run(many, '3', 'b'), run(many, '4', 'a')],
      ['1', '2', '3,4'],
    ],
    [
      'in order where an event moves several entities',
      [run(many, '1', 'a'), run(others, '2', 'b', 'c'), run(many, '3', 'd', 'c'), run(others, '4', 'd')],
      ['1', '2', '3', '4'],
    ],
  ])('%s', (_, runs, expected) => {
    expect(names(runs)).toEqual(expected);
  });
});

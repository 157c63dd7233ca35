import { afterEach, describe, expect, it } from 'vitest';
import { tagXml } from '../../../test/support/texts.js';
import { WorkerRig } from '../../../test/support/worker-rig.js';
import { CustomerTagHandler } from './customer-tag.handler.js';
import { customerTagMachine } from './customer-tag-machine.js';

let rig: WorkerRig;
afterEach(() => rig.close());

async function play(...texts: string[]): Promise<(string | null)[]> {
  const handler = new CustomerTagHandler();
  rig = await WorkerRig.open({
    handlers: { change_external_tag: (context, event) => handler.handle(event, context) },
    machines: { change_external_tag: customerTagMachine },
  });
  const deliveries = texts.map((text) => rig.delivery(text));
  for (const delivery of deliveries) await rig.consume(delivery);
  return rig.statuses(...deliveries);
}

const rows = (): Promise<unknown[]> =>
  rig.database.query('SELECT tag_type, tag_id, strategy_id, status, shuffle_count, effect_count FROM customer_tag');
const of = (type: string, id: string): string => `<Id>${id}</Id><TagType>${type}</TagType><StrategyId>1</StrategyId>`;

describe('a customer tag', () => {
  it('is told from a group of the same id', async () => {
    await play(tagXml('create', of('tag', 'x'), 1), tagXml('delete', of('tag_group', 'x'), 2));
    expect(await rows()).toMatchObject([
      { tag_type: 'tag', status: 'EXISTS' },
      { tag_type: 'tag_group', status: 'GONE' },
    ]);
  });

  it('is gone for good', async () => {
    const events = ['create', 'update', 'delete', 'update', 'create'].map((kind, at) =>
      tagXml(kind, of('tag', 'x'), at + 1),
    );
    expect(await play(...events)).toEqual(['APPLIED', 'APPLIED', 'APPLIED', 'REJECTED', 'REJECTED']);
    expect(await rows()).toMatchObject([{ status: 'GONE', effect_count: 3 }]);
  });

  it.each([
    ['of a group', '<Id>g</Id><StrategyId>1</StrategyId>', { tag_type: 'tag_group', tag_id: 'g' }],
    ['of a whole strategy', '<Id></Id><StrategyId>1</StrategyId>', { tag_type: 'strategy', tag_id: '' }],
  ])('counts the shuffles %s', async (_, fields, expected) => {
    expect(await play(tagXml('shuffle', fields, 1), tagXml('shuffle', fields, 2))).toEqual(['APPLIED', 'APPLIED']);
    expect(await rows()).toEqual([
      { ...expected, strategy_id: '1', status: 'EXISTS', shuffle_count: 2, effect_count: 2 },
    ]);
  });

  it('without Id or TagType is a dead letter', async () => {
    expect(await play(tagXml('create', '<Id>x</Id>', 1), tagXml('create', '<TagType>tag</TagType>', 1))).toEqual([
      'DEAD',
      'DEAD',
    ]);
  });
});

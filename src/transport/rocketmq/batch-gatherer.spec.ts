import { describe, expect, it } from 'vitest';
import { createDeferred, type Deferred } from '../../../test/support/scripted-rocketmq.js';
import type { ConsumeBatch, Delivery } from '../transport.js';
import { BatchGatherer } from './batch-gatherer.js';

function open(lanes: number, batchSizeMax: number) {
  const batches: { readonly bodies: string[]; readonly gate: Deferred<void> }[] = [];
  const consume: ConsumeBatch = (batch) => {
    const gate = createDeferred<void>();
    batches.push({ bodies: batch.map(({ body }) => body), gate });
    return gate.promise;
  };
  const gatherer = new BatchGatherer(consume, { lanes, batchSizeMax });
  const returned: string[] = [];
  const hand = (body: string, signal = new AbortController().signal): void => {
    void gatherer.hand({ body, signal } as Delivery).then(() => returned.push(body));
  };
  return { batches, gatherer, hand, returned, bodies: () => batches.map((batch) => batch.bodies.join('')) };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('batches of RocketMQ', () => {
  it('hands a lone message on at once, and together what came while all lanes were busy', async () => {
    const { batches, hand, bodies, returned } = open(2, 3);
    for (const body of ['a', 'b', 'c', 'd', 'e', 'f']) hand(body);
    expect(bodies()).toEqual(['a', 'b']);
    batches[0]!.gate.resolve();
    await turn();
    expect(bodies()).toEqual(['a', 'b', 'cde']);
    expect(returned).toEqual(['a']);
    batches[2]!.gate.resolve();
    await turn();
    expect(bodies()).toEqual(['a', 'b', 'cde', 'f']);
    expect(returned).toEqual(['a', 'c', 'd', 'e']);
  });

  it('goes on after a consumer that rejected', async () => {
    const { batches, hand, bodies, returned } = open(1, 10);
    hand('a');
    hand('b');
    batches[0]!.gate.reject(new Error('no'));
    await turn();
    expect(bodies()).toEqual(['a', 'b']);
    expect(returned).toEqual(['a']);
  });

  it('leaves out what was taken away while it waited', async () => {
    const { batches, hand, bodies, returned } = open(1, 10);
    const taken = new AbortController();
    hand('a');
    hand('b', taken.signal);
    hand('c');
    taken.abort();
    batches[0]!.gate.resolve();
    await turn();
    expect(bodies()).toEqual(['a', 'c']);
    batches[1]!.gate.resolve();
    await turn();
    expect(returned).toEqual(['a', 'b', 'c']);
  });

  it('lets go of what no batch has taken, and calls nobody with nothing', async () => {
    const { batches, gatherer, hand, bodies, returned } = open(1, 10);
    hand('a');
    hand('b');
    expect(gatherer.letGo().map(({ body }) => body)).toEqual(['b']);
    batches[0]!.gate.resolve();
    await turn();
    expect(bodies()).toEqual(['a']);
    expect(returned).toEqual(['b', 'a']);
  });
});

import { afterEach, describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import type { Clock } from '../../runtime/clock.js';
import { SystemClock } from '../../runtime/system-clock.js';
import type { OutgoingMessage } from '../transport.js';
import { SqliteTransport } from './sqlite-transport.js';

const TOPIC = 'wecom.events';
const DEADLINE_MS = 15_000;

let opened: SqliteTransport | null = null;

afterEach(() => opened?.close());

function open(clock: Clock): SqliteTransport {
  opened = new SqliteTransport(clock, { path: ':memory:', groupCommitMax: 1_000, defaultComeBackMs: 1_000 });
  opened.open();
  return opened;
}

const one = (orderingKey: string): OutgoingMessage[] => [{ orderingKey, body: orderingKey }];
const subscription = (batchSizeMax: number, lanes: number) => ({ topic: TOPIC, group: 'workers', batchSizeMax, lanes });

async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error('the condition did not come');
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe('SqliteSubscription', () => {
  it('lets other keys pass a key that is stuck with more messages than the window holds', async () => {
    const clock = new ManualClock();
    const transport = open(clock);
    const stuck = Array.from({ length: 12_000 }, (_, index) => ({ orderingKey: 'stuck', body: `${index}` }));
    await transport.publish(TOPIC, [...stuck, ...one('free')]);
    const settled: string[] = [];
    await transport.subscribe(subscription(50, 2), async (batch) => {
      for (const delivery of batch) {
        if (delivery.orderingKey === 'stuck' && clock.monotonic() < 60_000) await delivery.comeBack(60_000);
        else void delivery.settle().then(() => settled.push(delivery.body));
      }
    });
    await until(() => settled.length === 1);
    expect(settled).toEqual(['free']);
    await clock.advance(60_000);
    await until(() => settled.length === 12_001);
    expect(settled.slice(1)).toEqual(stuck.map(({ body }) => body));
  });

  it('lets a key pass thousands of stuck ones, and loses none of what it forgot to make room', async () => {
    const transport = open(new SystemClock());
    const rounds = [1, 2, 3];
    const stuck = rounds.flatMap((round) =>
      Array.from({ length: 4_000 }, (_, index) => ({ orderingKey: `k${index}`, body: `k${index}/${round}` })),
    );
    await transport.publish(TOPIC, [...stuck, ...one('free')]);
    const settled: string[] = [];
    await transport.subscribe(subscription(50, 4), async (batch) => {
      const isFree = settled.includes('free');
      for (const delivery of batch) {
        if (delivery.orderingKey !== 'free' && !isFree) await delivery.comeBack(300);
        else void delivery.settle().then(() => settled.push(delivery.body));
      }
    });
    await until(() => settled.length === 12_001);
    expect(settled[0]).toBe('free');
    expect(new Set(settled).size).toBe(12_001);
    for (const key of ['k0', 'k1234', 'k3999']) {
      const bodies = settled.filter((body) => body.startsWith(`${key}/`));
      expect(bodies).toEqual(rounds.map((round) => `${key}/${round}`));
    }
  });
});

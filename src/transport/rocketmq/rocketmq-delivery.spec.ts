import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { createDeferred, receivedMessage, ScriptedConsumer } from '../../../test/support/scripted-rocketmq.js';
import { RocketMqDelivery } from './rocketmq-delivery.js';
import type { ReceiptAnswer } from './rocketmq-client.js';

const VISIBILITY_MS = 10_000;

function start() {
  const [clock, consumer] = [new ManualClock(), new ScriptedConsumer()];
  const parts = { clock, consumer, topic: 'topic', visibilityMs: VISIBILITY_MS };
  return { clock, consumer, delivery: new RocketMqDelivery(parts, receivedMessage('a')) };
}

function away(): Promise<ReceiptAnswer> {
  const rejection = Promise.reject<ReceiptAnswer>(new Error('away'));
  // Asked for later than this turn.
  rejection.catch(() => undefined);
  return rejection;
}

describe('RocketMqDelivery', () => {
  it('is renewed at half time for as long as it is in hand, and no longer', async () => {
    const { clock, consumer, delivery } = start();
    await clock.advance(4_999);
    expect(consumer.calls).toEqual([]);
    await clock.advance(10_001);
    expect(consumer.calls).toEqual(['hide a 10000', 'hide a 10000', 'hide a 10000']);
    expect(delivery.signal.aborted).toBe(false);
    await delivery.settle();
    await clock.advance(20_000);
    expect(consumer.calls.slice(3)).toEqual(['ack a']);
    expect(clock.timerCount).toBe(0);
  });

  it('waits with its ack for a renewal under way, which replaces the receipt', async () => {
    const { clock, consumer, delivery } = start();
    const renewal = createDeferred<ReceiptAnswer>();
    consumer.answers.push(renewal.promise);
    await clock.advance(5_000);
    const settling = delivery.settle();
    await clock.settle();
    expect(consumer.calls).toEqual(['hide a 10000']);
    renewal.resolve('done');
    await settling;
    expect(consumer.calls).toEqual(['hide a 10000', 'ack a']);
    expect(clock.timerCount).toBe(0);
  });

  it('has lost its lane when its ack is refused', async () => {
    const { consumer, delivery } = start();
    consumer.answers.push(Promise.resolve('refused'));
    await expect(delivery.settle()).rejects.toMatchObject({ code: 'TRANSPORT_LANE_TAKEN_AWAY' });
    expect(delivery.signal.aborted).toBe(true);
  });

  it('has lost its lane when a renewal is refused, and asks for nothing more', async () => {
    const { clock, consumer, delivery } = start();
    consumer.answers.push(Promise.resolve('refused'));
    await clock.advance(5_000);
    expect(delivery.signal.aborted).toBe(true);
    await expect(delivery.settle()).rejects.toMatchObject({ code: 'TRANSPORT_LANE_TAKEN_AWAY' });
    await delivery.comeBack(1);
    await clock.advance(60_000);
    expect(consumer.calls).toEqual(['hide a 10000']);
  });

  it('is renewed again soon after a renewal that failed', async () => {
    const { clock, consumer, delivery } = start();
    consumer.answers.push(away());
    await clock.advance(6_000);
    expect(consumer.calls).toHaveLength(2);
    await clock.advance(4_000);
    expect(delivery.signal.aborted).toBe(false);
  });

  it('gives its lane up before others can see the message, when no renewal gets through', async () => {
    const { clock, consumer, delivery } = start();
    for (let index = 0; index < 20; index += 1) consumer.answers.push(away());
    await clock.advance(8_900);
    expect(delivery.signal.aborted).toBe(false);
    await clock.advance(100);
    expect(delivery.signal.aborted).toBe(true);
    expect(clock.timerCount).toBe(0);
  });

  it('says that it could not be settled when the server is away', async () => {
    const { clock, consumer, delivery } = start();
    consumer.answers.push(away());
    await expect(delivery.settle()).rejects.toMatchObject({ code: 'TRANSPORT_SETTLE_FAILED', topic: 'topic' });
    expect(clock.timerCount).toBe(0);
  });

  it.each([
    [0, 1],
    [49.2, 50],
    [1e12, 6 * 3_600_000],
  ])('comes back after %d ms as after %d', async (asked, given) => {
    const { clock, consumer, delivery } = start();
    await delivery.comeBack(asked);
    expect(consumer.calls).toEqual([`hide a ${given}`]);
    expect(clock.timerCount).toBe(0);
  });

  it('comes back by itself when its consumer decided nothing', async () => {
    const [left, settled] = [start(), start()];
    await left.delivery.end(1_000);
    expect(left.consumer.calls).toEqual(['hide a 1000']);
    await settled.delivery.settle();
    await settled.delivery.end(1_000);
    expect(settled.consumer.calls).toEqual(['ack a']);
  });

  it('lets others have the message at once when its lane is taken, unless it is decided', async () => {
    const [undecided, settled] = [start(), start()];
    await undecided.delivery.takeLane();
    expect(undecided.delivery.signal.aborted).toBe(true);
    expect(undecided.consumer.calls).toEqual(['hide a 1']);
    await settled.delivery.settle();
    await settled.delivery.takeLane();
    expect(settled.delivery.signal.aborted).toBe(false);
    expect(settled.consumer.calls).toEqual(['ack a']);
  });
});

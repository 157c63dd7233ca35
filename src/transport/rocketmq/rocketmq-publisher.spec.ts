import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ScriptedRocketMq } from '../../../test/support/scripted-rocketmq.js';
import { RocketMqPublisher } from './rocketmq-publisher.js';

const LIMIT_MS = 1_500;

async function start(holds = true) {
  const [clock, clients] = [new ManualClock(), new ScriptedRocketMq()];
  const options = { topic: 'topic', fullTopic: 'topic', publishLimitMs: LIMIT_MS };
  const publisher = new RocketMqPublisher(clock, clients, options);
  await publisher.started;
  const producer = clients.producers[0]!;
  producer.holds = holds;
  return { clock, clients, publisher, producer };
}

const message = (orderingKey: string, body: string) => ({ orderingKey, body });

describe('RocketMqPublisher', () => {
  it('sends one message of a key at a time, and different keys side by side', async () => {
    const { clock, publisher, producer } = await start();
    const first = publisher.publish([message('a', 'a1'), message('b', 'b1'), message('a', 'a2')]);
    const second = publisher.publish([message('a', 'a3')]);
    await clock.settle();
    expect(producer.sent).toEqual(['a1', 'b1']);
    producer.underWay[0]!.resolve();
    await clock.settle();
    expect(producer.sent).toEqual(['a1', 'b1', 'a2']);
    for (const send of producer.underWay) send.resolve();
    await clock.settle();
    producer.underWay[3]!.resolve();
    await Promise.all([first, second]);
    expect(producer.sent).toEqual(['a1', 'b1', 'a2', 'a3']);
    await publisher.close();
    expect(clock.timerCount).toBe(0);
  });

  it('has so many sends under way and no more', async () => {
    const { clock, publisher, producer } = await start();
    const publishing = publisher.publish(Array.from({ length: 100 }, (_, index) => message(`k${index}`, `${index}`)));
    await clock.settle();
    expect(producer.sent).toHaveLength(64);
    producer.underWay[0]!.resolve();
    await clock.settle();
    expect(producer.sent).toHaveLength(65);
    producer.holds = false;
    for (const send of producer.underWay) send.resolve();
    await publishing;
    await publisher.close();
  });

  it('gives up at its limit, sends nothing further of it, and keeps the key behind the send under way', async () => {
    const { clock, publisher, producer } = await start();
    const late = publisher.publish([message('a', 'a1'), message('a', 'a2')]);
    const outcome = expect(late).rejects.toMatchObject({ code: 'TRANSPORT_PUBLISH_FAILED', topic: 'topic' });
    await clock.advance(LIMIT_MS);
    await outcome;
    const next = publisher.publish([message('a', 'a3')]);
    await clock.settle();
    expect(producer.sent).toEqual(['a1']);
    producer.holds = false;
    producer.underWay[0]!.resolve();
    await next;
    expect(producer.sent).toEqual(['a1', 'a3']);
    await publisher.close();
  });

  it('does not wait for ever for a send that outlives its deadline', async () => {
    const { clock, publisher, producer } = await start();
    const late = expect(publisher.publish([message('a', 'a1')])).rejects.toThrow();
    await clock.advance(LIMIT_MS);
    await late;
    await clock.advance(2_000);
    producer.holds = false;
    await publisher.publish([message('a', 'a2')]);
    expect(producer.sent).toEqual(['a1', 'a2']);
    await publisher.close();
  });

  it('sends nothing behind a message of its key that failed', async () => {
    const { clock, publisher, producer } = await start();
    const failing = publisher.publish([message('a', 'a1'), message('a', 'a2')]);
    const outcome = expect(failing).rejects.toMatchObject({ code: 'TRANSPORT_PUBLISH_FAILED' });
    await clock.settle();
    producer.underWay[0]!.reject(new Error('away'));
    await outcome;
    expect(producer.sent).toEqual(['a1']);
    expect(publisher.trouble()).toMatchObject({ reason: 'away' });
    await publisher.close();
  });

  it('finds by itself that the server is back', async () => {
    const { clock, publisher, producer } = await start();
    const outcome = expect(publisher.publish([message('a', 'a1')])).rejects.toThrow();
    await clock.settle();
    producer.underWay[0]!.reject(new Error('away'));
    await outcome;
    producer.probes = Promise.reject(new Error('still away'));
    producer.probes.catch(() => undefined);
    await clock.advance(1_000);
    expect(publisher.trouble()).toMatchObject({ reason: 'still away' });
    producer.probes = Promise.resolve();
    await clock.advance(1_000);
    expect(publisher.trouble()).toBeNull();
    await publisher.close();
    expect(clock.timerCount).toBe(0);
  });

  it('takes another client when nothing got through for long: its routes may be old', async () => {
    const { clock, clients, publisher, producer } = await start();
    const outcome = expect(publisher.publish([message('a', 'a1')])).rejects.toThrow();
    await clock.settle();
    producer.underWay[0]!.reject(new Error('away'));
    await outcome;
    producer.probes = Promise.reject(new Error('away'));
    producer.probes.catch(() => undefined);
    await clock.advance(29_000);
    expect(clients.producers).toHaveLength(1);
    await clock.advance(1_000);
    expect(clients.producers).toHaveLength(2);
    expect(producer.isStopped).toBe(true);
    await publisher.publish([message('a', 'a2')]);
    expect(clients.producers[1]!.sent).toEqual(['a2']);
    expect(publisher.trouble()).toBeNull();
    await publisher.close();
  });

  it('refuses at once while there is no client', async () => {
    const [clock, clients] = [new ManualClock(), new ScriptedRocketMq()];
    clients.prepare = (client) => client.starts.push(Promise.reject(new Error('nobody there')));
    const publisher = new RocketMqPublisher(clock, clients, { topic: 't', fullTopic: 't', publishLimitMs: LIMIT_MS });
    await publisher.started;
    await expect(publisher.publish([message('a', 'a1')])).rejects.toMatchObject({ code: 'TRANSPORT_PUBLISH_FAILED' });
    expect(publisher.trouble()?.reason).toMatch(/nobody there/);
    await publisher.close();
    expect(clock.timerCount).toBe(0);
  });

  it('refuses a body that nobody could receive, without calling the server ill or sending its neighbours', async () => {
    const { publisher, producer } = await start(false);
    const publishing = publisher.publish([message('a', 'a1'), message('b', 'x'.repeat(4_000_001))]);
    await expect(publishing).rejects.toMatchObject({ code: 'TRANSPORT_PUBLISH_FAILED' });
    expect(producer.sent).toEqual([]);
    expect(publisher.trouble()).toBeNull();
    await publisher.close();
  });

  it('refuses more than may wait', async () => {
    const { clock, publisher, producer } = await start();
    const many = Array.from({ length: 10_000 }, (_, index) => message('a', `${index}`));
    const first = expect(publisher.publish(many)).rejects.toThrow();
    await expect(publisher.publish([message('b', 'b1')])).rejects.toMatchObject({ code: 'TRANSPORT_PUBLISH_FAILED' });
    await clock.advance(LIMIT_MS);
    await first;
    producer.underWay[0]!.resolve();
    await clock.settle();
    producer.holds = false;
    await publisher.publish([message('b', 'b2')]);
    await publisher.close();
  });
});

import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { createDeferred, receivedMessage, ScriptedRocketMq } from '../../../test/support/scripted-rocketmq.js';
import type { ConsumeBatch, Delivery } from '../transport.js';
import { RocketMqTransport } from './rocketmq-transport.js';

const OPTIONS = { topic: 'a.topic', group: 'a.group', lanes: 2, batchSizeMax: 1 };

function start() {
  const [clock, clients] = [new ManualClock(), new ScriptedRocketMq()];
  const times = { publishLimitMs: 1_500, visibilityMs: 10_000, defaultComeBackMs: 1_000 };
  const transport = new RocketMqTransport(clock, clients, { namespace: '', ...times });
  const consumer = () => clients.consumers.at(-1)!;
  return { clock, clients, transport, consumer };
}

const ignore: ConsumeBatch = () => Promise.resolve();

describe('a subscription on RocketMQ', () => {
  it('receives side by side in as many loops as lanes, each again when its message is decided', async () => {
    const { clock, transport, consumer } = start();
    const [seen, gate] = [[] as string[], createDeferred<void>()];
    await transport.subscribe(OPTIONS, async ([delivery]) => {
      seen.push(delivery!.body);
      await gate.promise;
      await delivery!.settle();
    });
    await clock.settle();
    expect(consumer().polls).toHaveLength(2);
    consumer().polls[0]!.resolve(receivedMessage('a'));
    await clock.settle();
    expect(consumer().polls).toHaveLength(2);
    gate.resolve();
    await clock.settle();
    expect(consumer().calls).toEqual(['ack a']);
    expect(consumer().polls).toHaveLength(3);
    for (const poll of consumer().polls) poll.resolve(null);
    const closing = transport.close();
    await clock.settle();
    for (const poll of consumer().polls) poll.resolve(null);
    await closing;
    expect(consumer().isStopped).toBe(true);
    expect(clock.timerCount).toBe(0);
  });

  it('consumes together what came while all lanes were busy, and gives back at the stop what still waits', async () => {
    const { clock, transport, consumer } = start();
    const [seen, gate] = [[] as string[], createDeferred<void>()];
    const subscription = await transport.subscribe({ ...OPTIONS, lanes: 1, batchSizeMax: 4 }, async (batch) => {
      seen.push(batch.map(({ body }) => body).join(''));
      if (seen.length === 1) await gate.promise;
      else await new Promise(() => undefined);
    });
    await clock.settle();
    expect(consumer().polls).toHaveLength(4);
    for (const [index, name] of ['a', 'b', 'c'].entries()) consumer().polls[index]!.resolve(receivedMessage(name));
    await clock.settle();
    gate.resolve();
    await clock.settle();
    expect(seen).toEqual(['a', 'bc']);
    consumer().polls[3]!.resolve(receivedMessage('d'));
    await clock.settle();
    await subscription.stop(0);
    expect(seen).toEqual(['a', 'bc']);
    expect(consumer().calls).toContain('hide d 1');
  });

  it('gives back at once what no batch has taken when it is stopped, though a batch in hand may still end', async () => {
    const { clock, transport, consumer } = start();
    const [seen, gate] = [[] as string[], createDeferred<void>()];
    const subscription = await transport.subscribe({ ...OPTIONS, lanes: 1, batchSizeMax: 2 }, async (batch) => {
      seen.push(batch.map(({ body }) => body).join(''));
      await gate.promise;
      await Promise.all(batch.map((delivery) => delivery.settle()));
    });
    await clock.settle();
    for (const [index, name] of ['a', 'b'].entries()) consumer().polls[index]!.resolve(receivedMessage(name));
    await clock.settle();
    const stopping = subscription.stop(5_000);
    await clock.settle();
    expect(consumer().calls).toEqual(['hide b 1']);
    gate.resolve();
    await stopping;
    expect(seen).toEqual(['a']);
    expect(consumer().calls).toEqual(['hide b 1', 'ack a']);
  });

  it('gives back what a long poll brings after the stop', async () => {
    const { clock, transport, consumer } = start();
    const seen: Delivery[] = [];
    const subscription = await transport.subscribe(OPTIONS, async (batch) => void seen.push(...batch));
    await clock.settle();
    await subscription.stop(1_000);
    expect(consumer().isStopped).toBe(false);
    consumer().polls[0]!.resolve(receivedMessage('late'));
    consumer().polls[1]!.resolve(null);
    await clock.settle();
    expect(consumer().calls).toEqual(['hide late 1']);
    expect(seen).toEqual([]);
    expect(consumer().polls).toHaveLength(2);
    expect(consumer().isStopped).toBe(true);
    expect(clock.timerCount).toBe(0);
  });

  it('closes without a poll that does not end, and in spite of a consumer that does not return', async () => {
    const { clock, transport, consumer } = start();
    await transport.subscribe(OPTIONS, () => new Promise(() => undefined));
    await clock.settle();
    consumer().polls[0]!.resolve(receivedMessage('a'));
    await clock.settle();
    const closing = transport.close();
    await clock.advance(8_500);
    await closing;
    expect(consumer().isStopped).toBe(true);
    expect(consumer().calls).toEqual(['hide a 1']);
  });

  it('goes on after a receive that failed, and says so meanwhile', async () => {
    const { clock, transport, consumer } = start();
    await transport.subscribe({ ...OPTIONS, lanes: 1 }, ignore);
    await clock.settle();
    consumer().polls[0]!.reject(new Error('away'));
    await clock.settle();
    expect(transport.trouble()).toMatchObject({ reason: 'away' });
    await clock.advance(500);
    consumer().polls[1]!.resolve(null);
    await clock.settle();
    expect(transport.trouble()).toBeNull();
    const closing = transport.close();
    consumer().polls[2]!.resolve(null);
    await closing;
    expect(clock.timerCount).toBe(0);
  });

  it.each([
    ['does not keep order', { isFifo: false, deliveriesMax: 1_000_000_000 }, /order.*updateSubGroup -g 'a-group'/],
    ['would be given up on', { isFifo: true, deliveriesMax: 17 }, /17 deliveries.*updateSubGroup/],
  ])('is refused when its group %s', async (_, group, reason) => {
    const { clock, clients, transport, consumer } = start();
    clients.prepare = (client) => Object.assign(client, { group });
    const subscribing = transport.subscribe(OPTIONS, ignore);
    await expect(subscribing).rejects.toMatchObject({
      code: 'TRANSPORT_SUBSCRIPTION_REFUSED',
      message: expect.stringMatching(reason) as string,
    });
    expect(consumer().isStopped).toBe(true);
    await transport.close();
    expect(clock.timerCount).toBe(0);
  });

  it('is refused when the server knows no such topic, and waits for a server that is away', async () => {
    const { clock, clients, transport } = start();
    const notFound = Object.assign(new Error('no such topic'), { code: 40_402 });
    clients.prepare = (client) => client.starts.push(Promise.reject(new Error('start', { cause: notFound })));
    await expect(transport.subscribe(OPTIONS, ignore)).rejects.toMatchObject({
      code: 'TRANSPORT_SUBSCRIPTION_REFUSED',
      message: expect.stringContaining('no such topic') as string,
    });
    clients.prepare = (client) => client.starts.push(Promise.reject(new Error('away')));
    await transport.subscribe(OPTIONS, ignore);
    expect(transport.trouble()?.reason).toMatch(/away/);
    clients.prepare = () => undefined;
    await clock.advance(1_000);
    expect(transport.trouble()).toBeNull();
    expect(clients.consumers.at(-1)!.polls).toHaveLength(2);
    const closing = transport.close();
    for (const poll of clients.consumers.at(-1)!.polls) poll.resolve(null);
    await closing;
    expect(clock.timerCount).toBe(0);
  });
});

import { describe, expect, it } from 'vitest';
import { ManualClock } from '../../../test/support/manual-clock.js';
import { ScriptedRocketMq, type ScriptedProducer } from '../../../test/support/scripted-rocketmq.js';
import { Trouble } from '../trouble.js';
import { ClientKeeper } from './client-keeper.js';

function start() {
  const [clock, clients] = [new ManualClock(), new ScriptedRocketMq()];
  const trouble = new Trouble(clock, () => undefined);
  const keeper = new ClientKeeper<ScriptedProducer>(clock, trouble, { what: 'it', make: () => clients.producer() });
  const hang = (): Promise<void> => new Promise(() => undefined);
  return { clock, clients, trouble, keeper, hang };
}

describe('ClientKeeper', () => {
  it('ends a client whose start hangs and starts another', async () => {
    const { clock, clients, trouble, keeper, hang } = start();
    clients.prepare = (client) => client.starts.push(hang());
    const first = keeper.start();
    const up = keeper.up();
    await clock.advance(15_000);
    expect(await first).toEqual({ kind: 'away' });
    expect(clients.producers[0]!.isStopped).toBe(true);
    expect(trouble.state()?.reason).toMatch(/15000 ms/);
    clients.prepare = () => undefined;
    await clock.advance(1_000);
    expect(await up).toBe(clients.producers[1]);
    expect(keeper.client).toBe(clients.producers[1]);
    expect(trouble.state()).toBeNull();
    await keeper.close();
    expect(clients.producers[1]!.isStopped).toBe(true);
    trouble.close();
    expect(clock.timerCount).toBe(0);
  });

  it('closes at once while a start hangs, and ends it', async () => {
    const { clock, clients, trouble, keeper, hang } = start();
    clients.prepare = (client) => client.starts.push(hang());
    void keeper.start();
    const up = expect(keeper.up()).rejects.toThrow('closed');
    await clock.settle();
    await keeper.close();
    await up;
    await expect(keeper.up()).rejects.toThrow('closed');
    expect(clients.producers.map(({ isStopped }) => isStopped)).toEqual([true]);
    trouble.close();
    expect(clock.timerCount).toBe(0);
  });

  it('replaces the client that it was told of, and no newer one', async () => {
    const { clock, clients, keeper } = start();
    await keeper.start();
    const first = keeper.client!;
    keeper.replace(first);
    expect(keeper.client).toBeNull();
    expect(await keeper.up()).toBe(clients.producers[1]);
    keeper.replace(first);
    expect(keeper.client).toBe(clients.producers[1]);
    await keeper.close();
    expect(clients.producers.map(({ isStopped }) => isStopped)).toEqual([true, true]);
    expect(clock.timerCount).toBe(0);
  });
});

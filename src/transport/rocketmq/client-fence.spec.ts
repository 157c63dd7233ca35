import { EventEmitter } from 'node:events';
import { describe, expect, it } from 'vitest';
import { ClientFence, type ClientInsides, type EndpointsLike, type TelemetryStream } from './client-fence.js';

class FakeStream extends EventEmitter implements TelemetryStream {
  isCancelled = false;

  write(): boolean {
    return true;
  }

  end(): void {
    // The client does this before it lets go.
  }

  cancel(): void {
    this.isCancelled = true;
  }
}

function start() {
  const streams: FakeStream[] = [];
  const openedTo: EndpointsLike[] = [];
  const released: string[] = [];
  let closeCount = 0;
  let updates: Promise<void> = Promise.resolve();
  const insides: ClientInsides = {
    endpoints: { facade: 'proxy:8081' },
    topicRouteCache: new Map<string, unknown>([['topic', {}]]),
    rpcClientManager: { close: () => void (closeCount += 1) },
    createTelemetryStream: (endpoints) => {
      openedTo.push(endpoints);
      streams.push(new FakeStream());
      return streams.at(-1)!;
    },
    onTopicRouteDataUpdate: () => undefined,
    updateRoutes: () => updates,
    sleep: () => new Promise(() => undefined),
    getTotalRouteEndpoints: () => [insides.endpoints],
    getTelemetrySession: ({ facade }) => ({ release: () => void released.push(facade) }),
  };
  const errors: string[] = [];
  const fence = new ClientFence(insides, (error) => void errors.push(error.message));
  const refresh = (promise: Promise<void>): void => void (updates = promise);
  return { fence, insides, streams, openedTo, released, errors, refresh, closes: () => closeCount };
}

describe('ClientFence', () => {
  it('survives a stream that fails after its session let go of it, and ends that stream', () => {
    const { insides, streams, errors } = start();
    const stream = insides.createTelemetryStream(insides.endpoints);
    streams[0]!.emit('error', new Error('in use'));
    stream.removeAllListeners();
    expect(streams[0]!.isCancelled).toBe(true);
    expect(() => streams[0]!.emit('error', new Error('let go'))).not.toThrow();
    expect(errors).toEqual(['in use']);
  });

  it('gives a closed client a stream that takes everything and never ends, so that nothing renews it', async () => {
    const { fence, insides, streams } = start();
    fence.close();
    const stream = insides.createTelemetryStream(insides.endpoints);
    const heard: string[] = [];
    for (const name of ['data', 'end', 'error', 'close']) stream.on(name, () => void heard.push(name));
    stream.write({});
    stream.end();
    await new Promise((resolve) => setImmediate(resolve));
    expect(heard).toEqual([]);
    expect(streams).toEqual([]);
  });

  it('ends a start that is under way when the client closes', async () => {
    const { fence, insides, refresh } = start();
    let finish: () => void = () => undefined;
    refresh(new Promise((resolve) => (finish = resolve)));
    const [updating, sleeping] = [insides.updateRoutes(), insides.sleep(60_000)];
    fence.close();
    finish();
    await expect(updating).rejects.toThrow('closed');
    await sleeping;
    await insides.sleep(60_000);
    await expect(insides.updateRoutes()).rejects.toThrow('closed');
    expect(insides.topicRouteCache.size).toBe(0);
  });

  it('lets routes to one address share one channel, the stream included', () => {
    const { insides, openedTo } = start();
    const queue = (facade: string) => ({ broker: { endpoints: { facade } } });
    const messageQueues = [queue('proxy:8081'), queue('other:8081'), queue('other:8081')];
    insides.onTopicRouteDataUpdate('topic', { messageQueues });
    const [first, second, third] = messageQueues.map(({ broker }) => broker.endpoints);
    expect(first).toBe(insides.endpoints);
    expect(second).toBe(third);
    insides.createTelemetryStream({ facade: 'other:8081' });
    expect(openedTo[0]).toBe(second);
  });

  it('cuts what a shutdown left: sessions, streams and channels', () => {
    const { fence, insides, streams, released, closes } = start();
    insides.createTelemetryStream(insides.endpoints);
    fence.close();
    fence.cut();
    expect(released).toEqual(['proxy:8081']);
    expect(streams[0]!.isCancelled).toBe(true);
    expect(closes()).toBe(1);
  });
});

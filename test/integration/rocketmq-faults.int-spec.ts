import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { SystemClock } from '../../src/runtime/system-clock.js';
import { fencedClients } from '../../src/transport/rocketmq/fenced-clients.js';
import { loadClientLibrary } from '../../src/transport/rocketmq/load-client-library.js';
import { RocketMqTransport } from '../../src/transport/rocketmq/rocketmq-transport.js';
import type { SubscribeOptions } from '../../src/transport/transport.js';
import { TransportProbe } from '../contract/transport.probe.js';
import { describeWithRocketMq, ROCKETMQ_START_LIMIT_MS, RocketMqServer } from '../support/rocketmq-server.js';
import { until } from '../support/until.js';

const ACL = { accessKey: 'gateway', secretKey: 'a-long-secret' };
const LIMIT_MS = 2_000;
const PATIENCE_MS = 90_000;

const open: RocketMqTransport[] = [];
let server: RocketMqServer;

async function openTransport(credentials: typeof ACL | null = null, namespace = ''): Promise<RocketMqTransport> {
  const clock = new SystemClock();
  const clients = fencedClients(await loadClientLibrary(), clock, {
    endpoints: server.endpoints,
    credentials,
    requestTimeoutMs: LIMIT_MS,
    debug: () => undefined,
  });
  const times = { publishLimitMs: LIMIT_MS, visibilityMs: 10_000, defaultComeBackMs: 100 };
  const transport = new RocketMqTransport(clock, clients, { namespace, ...times });
  open.push(transport);
  return transport;
}

const subscription = (topic: string, group = 'group'): SubscribeOptions => ({
  topic,
  group,
  lanes: 2,
  batchSizeMax: 1,
});

async function closeAll(): Promise<void> {
  await Promise.all(open.splice(0).map((transport) => transport.close()));
}

/** What the client does wrong, or the server forgives in silence, and the adapter must not pass on. */
describeWithRocketMq('RocketMQ when something is wrong', () => {
  const topics = ['kill', 'wiring', 'hang', 'closing', 'names.a', 'load'].map((name) => name.replace('.', '-'));

  beforeAll(async () => {
    server = await RocketMqServer.start({
      topics: [...topics, 'one%names-a', 'two%names-a'],
      groups: ['group', 'one%group', 'two%group'],
      unorderedGroups: ['unordered'],
    });
  }, ROCKETMQ_START_LIMIT_MS);

  afterEach(closeAll);
  afterAll(() => server.stop());

  it(
    'refuses a group or topic that does not exist, and one without order, instead of hanging',
    async () => {
      const transport = await openTransport();
      const refused = (options: SubscribeOptions, reason: RegExp) =>
        expect(transport.subscribe(options, () => Promise.resolve())).rejects.toMatchObject({
          code: 'TRANSPORT_SUBSCRIPTION_REFUSED',
          message: expect.stringMatching(reason),
        });
      const began = performance.now();
      await Promise.all([
        refused(subscription('wiring', 'nobody'), /group not found: nobody/),
        refused(subscription('nowhere'), /No topic route info/),
        refused(subscription('wiring', 'unordered'), /does not keep order; run: mqadmin/),
      ]);
      expect(performance.now() - began).toBeLessThan(14_000);
      const publishing = transport.publish('nowhere', [{ orderingKey: 'a', body: 'a1' }]);
      await expect(publishing).rejects.toMatchObject({ code: 'TRANSPORT_PUBLISH_FAILED' });
      await until(() => /to nowhere: .*No topic route info/.test(transport.trouble()?.reason ?? ''), PATIENCE_MS);
    },
    PATIENCE_MS,
  );

  it(
    'keeps two namespaces apart under one name',
    async () => {
      const [one, two] = [await openTransport(null, 'one'), await openTransport(null, 'two')];
      const [seenByOne, seenByTwo] = [new TransportProbe(), new TransportProbe()];
      await one.publish('names.a', [{ orderingKey: 'a', body: 'for one' }]);
      await two.publish('names.a', [{ orderingKey: 'a', body: 'for two' }]);
      await one.subscribe(
        subscription('names.a'),
        seenByOne.consumer((delivery) => delivery.settle()),
      );
      await two.subscribe(
        subscription('names.a'),
        seenByTwo.consumer((delivery) => delivery.settle()),
      );
      await until(() => seenByOne.settled.length + seenByTwo.settled.length >= 2, PATIENCE_MS);
      expect([seenByOne.settled, seenByTwo.settled]).toEqual([['for one'], ['for two']]);
    },
    PATIENCE_MS,
  );

  it(
    'starts within its limit beside a server that hangs, and is well when that goes on',
    async () => {
      server.pause();
      try {
        const transport = await openTransport();
        const began = performance.now();
        await transport.open(['hang'], 500);
        const publishing = transport.publish('hang', [{ orderingKey: 'a', body: 'a1' }]);
        await expect(publishing).rejects.toMatchObject({ code: 'TRANSPORT_PUBLISH_FAILED' });
        expect(performance.now() - began).toBeLessThan(500 + LIMIT_MS + 2_000);
        expect(transport.trouble()).not.toBeNull();
        server.resume();
        await until(() => transport.trouble() === null, PATIENCE_MS);
        await transport.publish('hang', [{ orderingKey: 'a', body: 'a2' }]);
      } finally {
        server.resume();
      }
    },
    2 * PATIENCE_MS,
  );

  it(
    'closes beside a server that hangs',
    async () => {
      const transport = await openTransport();
      await transport.publish('closing', [{ orderingKey: 'a', body: 'a1' }]);
      await transport.subscribe(subscription('closing'), () => Promise.resolve());
      server.pause();
      try {
        const began = performance.now();
        await transport.close();
        expect(performance.now() - began).toBeLessThan(25_000);
      } finally {
        server.resume();
      }
    },
    PATIENCE_MS,
  );

  it(
    'loses nothing acknowledged and keeps its order when the server is killed under load',
    async () => {
      const transport = await openTransport();
      const probe = new TransportProbe();
      const acknowledged: string[] = [];
      await transport.subscribe(
        { ...subscription('load'), lanes: 8 },
        probe.consumer((delivery) => delivery.settle()),
      );
      let isOver = false;
      const publishing = Array.from({ length: 8 }, async (_, key) => {
        for (let index = 0; !isOver; index += 1) {
          const body = `${key}:${index}`;
          const isAcknowledged = await transport.publish('load', [{ orderingKey: `k${key}`, body }]).then(
            () => true,
            () => false,
          );
          if (isAcknowledged) acknowledged.push(body);
          else await new Promise((resolve) => setTimeout(resolve, 200));
        }
      });
      await until(() => acknowledged.length > 200, PATIENCE_MS);
      try {
        await server.kill();
        await server.run();
      } finally {
        // However that ends, nobody is left publishing.
        isOver = !server.isRunning;
      }
      const before = acknowledged.length;
      await until(() => acknowledged.length > before + 200, PATIENCE_MS);
      isOver = true;
      await Promise.all(publishing);
      await until(() => acknowledged.every((body) => probe.settled.includes(body)), PATIENCE_MS, 'all settled');
      for (let key = 0; key < 8; key += 1) {
        // What was settled just before the kill may come again, behind newer ones; first deliveries keep their order.
        const first = [...new Set(probe.bodiesOf(`k${key}`))].map((body) => Number(body.split(':')[1]));
        expect(first).toEqual([...first].sort((one, other) => one - other));
      }
    },
    3 * PATIENCE_MS + ROCKETMQ_START_LIMIT_MS,
  );

  it(
    'outlives a server that dies before its close, and one that dies right after it',
    async () => {
      const [early, late] = [await openTransport(), await openTransport()];
      for (const transport of [early, late]) {
        await transport.publish('kill', [{ orderingKey: 'a', body: 'a1' }]);
        await transport.subscribe(subscription('kill'), (batch) => batch[0]!.settle());
      }
      await early.close();
      await server.kill();
      await late.close();
      // The client tries its stream anew every second: had anything been left, it would fail by now and end this process.
      const end = performance.now() + 2_500;
      await until(() => performance.now() > end);
      await server.run();
    },
    PATIENCE_MS + ROCKETMQ_START_LIMIT_MS,
  );
});

describeWithRocketMq('RocketMQ with users', () => {
  beforeAll(async () => {
    server = await RocketMqServer.start({ topics: ['acl'], groups: ['group'], superUser: ACL });
  }, ROCKETMQ_START_LIMIT_MS);

  afterEach(closeAll);
  afterAll(() => server.stop());

  describe('asks who is there', () => {
    it(
      'and lets the right one send and receive',
      async () => {
        const transport = await openTransport(ACL);
        const probe = new TransportProbe();
        await transport.publish('acl', [{ orderingKey: 'a', body: 'a1' }]);
        await transport.subscribe(
          subscription('acl'),
          probe.consumer((delivery) => delivery.settle()),
        );
        await until(() => probe.settled.length === 1, PATIENCE_MS);
      },
      PATIENCE_MS,
    );

    it.each([
      ['a wrong key', { ...ACL, secretKey: 'wrong' }],
      ['none', null],
    ])(
      'and refuses %s',
      async (_, credentials) => {
        const transport = await openTransport(credentials);
        await expect(transport.subscribe(subscription('acl'), () => Promise.resolve())).rejects.toMatchObject({
          code: 'TRANSPORT_SUBSCRIPTION_REFUSED',
        });
        const publishing = transport.publish('acl', [{ orderingKey: 'a', body: 'a1' }]);
        await expect(publishing).rejects.toMatchObject({ code: 'TRANSPORT_PUBLISH_FAILED' });
      },
      PATIENCE_MS,
    );
  });
});

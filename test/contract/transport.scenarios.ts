import { expect } from 'vitest';
import type { ConsumeBatch } from '../../src/transport/transport.js';
import { createGate, numbered, TransportProbe, until } from './transport.probe.js';
import { FEW, settle, settledAll, SINGLY, TOPIC, unsettled } from './transport.scenario-parts.js';
import type { TransportScenario } from './transport.suite.js';

const CALM_RUN_MESSAGES = 10_000;
const HOLD_MS = 400;

/** Gives `firstOf` back the first few times, and with it what stands behind it in its batch. */
function holdingBack(firstOf: string, times: number, probe: TransportProbe, delayMs: number): ConsumeBatch {
  let isBehind = false;
  return probe.consumer(async (delivery, timesSeen) => {
    if (delivery.body === firstOf) isBehind = timesSeen <= times;
    if (delivery.orderingKey === 'a' && isBehind) await delivery.comeBack(delayMs);
    else await delivery.settle();
  });
}

export const deliveryScenarios: readonly TransportScenario[] = [
  {
    name: 'delivers the messages of a key in the order of publishing',
    async run(harness) {
      const transport = await harness.make();
      const probe = new TransportProbe();
      const [a, b] = [numbered('a', 60), numbered('b', 60)];
      for (let index = 0; index < 30; index += 1) await transport.publish(TOPIC, [a[index]!, b[index]!]);
      await transport.subscribe(FEW, probe.consumer(settle));
      await transport.publish(
        TOPIC,
        a.slice(30).flatMap((message, index) => [message, b[30 + index]!]),
      );
      await settledAll(transport, probe, 120, harness.patienceMs);
      expect(probe.bodiesOf('a')).toEqual(a.map(({ body }) => body));
      expect(probe.bodiesOf('b')).toEqual(b.map(({ body }) => body));
    },
  },
  {
    name: 'delivers to a subscription the messages of its own topic only',
    async run(harness) {
      const transport = await harness.make();
      const [probe, other] = [new TransportProbe(), new TransportProbe()];
      const otherTopic = `${TOPIC}.dlq`;
      for (const message of numbered('a', 10)) {
        await transport.publish(TOPIC, [message]);
        await transport.publish(otherTopic, [{ ...message, body: `other ${message.body}` }]);
      }
      await transport.subscribe(FEW, probe.consumer(settle));
      await transport.subscribe({ ...FEW, topic: otherTopic }, other.consumer(settle));
      await settledAll(transport, probe, 10, harness.patienceMs);
      await until('the other topic', () => other.settled.length === 10, harness.patienceMs);
      expect(probe.bodiesOf('a')).toEqual(numbered('a', 10).map(({ body }) => body));
      expect(other.bodiesOf('a')).toEqual(numbered('a', 10).map(({ body }) => `other ${body}`));
    },
  },
  {
    name: 'delivers a message again until it is settled, whether its consumer returned or rejected',
    async run(harness) {
      const transport = await harness.make();
      const probe = new TransportProbe();
      const consume = probe.consumer(async (delivery, timesSeen) => {
        if (timesSeen === 2) throw new Error('the consumer failed on purpose');
        if (timesSeen > 2) await delivery.settle();
      });
      await transport.subscribe(SINGLY, consume);
      await transport.publish(TOPIC, numbered('a', 2));
      await settledAll(transport, probe, 2, harness.patienceMs);
      expect(probe.bodiesOf('a')).toEqual(['a1', 'a1', 'a1', 'a2', 'a2', 'a2']);
    },
  },
  {
    name: 'delivers only the rest of a batch again when its consumer settled a part',
    async run(harness) {
      const transport = await harness.make();
      const probe = new TransportProbe();
      await transport.publish(TOPIC, [...numbered('a', 1), ...numbered('b', 1), ...numbered('c', 1)]);
      const consume = probe.consumer(async (delivery, timesSeen) => {
        if (delivery.orderingKey !== 'b' || timesSeen > 1) await delivery.settle();
      });
      await transport.subscribe(FEW, consume);
      await settledAll(transport, probe, 3, harness.patienceMs);
      expect(probe.seen.map(({ body }) => body).sort()).toEqual(['a1', 'b1', 'b1', 'c1']);
    },
  },
  {
    name: 'settles nothing before the consumer does: a crash while it works redelivers',
    async run(harness) {
      const transport = await harness.make();
      const [probe, later, gate] = [new TransportProbe(), new TransportProbe(), createGate()];
      await transport.publish(TOPIC, numbered('a', 1));
      await transport.subscribe(
        FEW,
        probe.consumer(() => gate.opened),
      );
      await until('in hand', () => probe.seen.length === 1, harness.patienceMs);
      expect(await unsettled(transport)).toSatisfy((count) => count === null || count === 1);
      const reopened = await harness.reopen();
      await reopened.subscribe(FEW, later.consumer(settle));
      await settledAll(reopened, later, 1, harness.patienceMs);
      gate.open();
    },
  },
  {
    name: 'keeps what was published and the order of a key through a crash',
    async run(harness) {
      const transport = await harness.make();
      const probe = new TransportProbe();
      await transport.publish(TOPIC, numbered('a', 30));
      const reopened = await harness.reopen();
      await reopened.subscribe(FEW, probe.consumer(settle));
      await settledAll(reopened, probe, 30, harness.patienceMs);
      expect(probe.bodiesOf('a')).toEqual(numbered('a', 30).map(({ body }) => body));
    },
  },
  {
    name: 'does not deliver again after a crash what was settled',
    needs: 'settleIsDurable',
    async run(harness) {
      const transport = await harness.make();
      const [probe, later] = [new TransportProbe(), new TransportProbe()];
      const consume = probe.consumer(async (delivery) => {
        if (delivery.body !== 'a3') await delivery.settle();
        else await delivery.comeBack(60_000);
      });
      await transport.subscribe(SINGLY, consume);
      await transport.publish(TOPIC, numbered('a', 3));
      await until('two settled', () => probe.settled.length === 2 && probe.seen.length === 3, harness.patienceMs);
      const reopened = await harness.reopen();
      await reopened.subscribe(FEW, later.consumer(settle));
      await settledAll(reopened, later, 1, harness.patienceMs);
      expect(later.bodiesOf('a')).toEqual(['a3']);
    },
  },
  {
    name: 'lets other keys go on while one is stuck, also those of the same batch',
    async run(harness) {
      const transport = await harness.make();
      const [probe, gate] = [new TransportProbe(), createGate()];
      await transport.publish(TOPIC, [...numbered('a', 3), ...numbered('b', 1), ...numbered('c', 1)]);
      const consume = probe.consumer(
        (delivery) => (delivery.orderingKey === 'a' ? gate.opened.then(() => delivery.settle()) : delivery.settle()),
        'side-by-side',
      );
      await transport.subscribe(FEW, consume);
      await until('a is stuck', () => probe.bodiesOf('a').length > 0, harness.patienceMs);
      for (const key of ['b', 'c', 'd']) await transport.publish(TOPIC, numbered(key, 40).slice(1));
      await until('the others', () => probe.settled.length === 2 + 3 * 39, harness.patienceMs);
      expect(probe.settled).not.toContain('a1');
      gate.open();
      await settledAll(transport, probe, 122, harness.patienceMs);
      expect(probe.violations).toEqual([]);
    },
  },
  {
    name: 'delivers a message that comes back after its delay, and nothing of its key before it',
    async run(harness) {
      const transport = await harness.make();
      const probe = new TransportProbe();
      await transport.subscribe(FEW, holdingBack('a1', 2, probe, 50));
      await transport.publish(TOPIC, [...numbered('a', 3), ...numbered('b', 1)]);
      await transport.publish(TOPIC, numbered('a', 4).slice(3));
      await settledAll(transport, probe, 5, harness.patienceMs);
      expect(probe.settled.filter((body) => body.startsWith('a'))).toEqual(['a1', 'a2', 'a3', 'a4']);
      const times = probe.seen.filter(({ body }) => body === 'a1').map(({ at }) => at);
      expect(times).toHaveLength(3);
      expect(Math.min(times[1]! - times[0]!, times[2]! - times[1]!)).toBeGreaterThan(40);
      expect(probe.violations).toEqual([]);
    },
  },
  {
    name: 'never has one key in two batches at once',
    async run(harness) {
      const transport = await harness.make();
      const probe = new TransportProbe();
      const messages = Array.from({ length: 300 }, (_, index) => ({ orderingKey: `k${index % 7}`, body: `${index}` }));
      await transport.publish(TOPIC, messages.slice(0, 150));
      const consume = probe.consumer(async (delivery, timesSeen) => {
        for (let turn = 0; turn < Number(delivery.body) % 4; turn += 1) await new Promise((next) => setImmediate(next));
        if (Number(delivery.body) % 11 === 0 && timesSeen === 1) await delivery.comeBack(5);
        else await delivery.settle();
      }, 'side-by-side');
      await transport.subscribe({ ...FEW, lanes: 4, batchSizeMax: 5 }, consume);
      for (let index = 150; index < 300; index += 10) await transport.publish(TOPIC, messages.slice(index, index + 10));
      await settledAll(transport, probe, 300, harness.patienceMs);
      expect(probe.violations).toEqual([]);
    },
  },
  {
    name: 'does not deliver a second time what is held longer than any limit of the server',
    async run(harness) {
      const transport = await harness.make();
      const [probe, gate] = [new TransportProbe(), createGate()];
      const consume = probe.consumer((delivery) =>
        delivery.body === 'a1' ? gate.opened.then(() => delivery.settle()) : delivery.settle(),
      );
      await transport.subscribe(SINGLY, consume);
      await transport.publish(TOPIC, [...numbered('a', 1), ...numbered('b', 1)]);
      // Joining a group may take longer than the hold.
      await until('in hand', () => probe.bodiesOf('a').length > 0, harness.patienceMs);
      const holdMs = (harness.features.visibilityMs ?? HOLD_MS) * 1.5;
      const end = performance.now() + holdMs;
      await until('held long enough', () => performance.now() > end, 2 * holdMs);
      expect(probe.bodiesOf('a')).toEqual(['a1']);
      gate.open();
      await settledAll(transport, probe, 2, harness.patienceMs);
      expect(probe.bodiesOf('a')).toEqual(['a1']);
    },
  },
  {
    name: 'keeps every message of many publishes at once',
    async run(harness) {
      const transport = await harness.make();
      const probe = new TransportProbe();
      const bodies = Array.from({ length: 300 }, (_, index) => String(index));
      await transport.subscribe(FEW, probe.consumer(settle));
      await Promise.all(
        bodies.map((body) => transport.publish(TOPIC, [{ orderingKey: `k${Number(body) % 50}`, body }])),
      );
      await settledAll(transport, probe, bodies.length, harness.patienceMs);
      expect(probe.seen.map(({ body }) => Number(body)).sort((first, second) => first - second)).toEqual(
        bodies.map(Number),
      );
      expect(probe.bodiesOf('k7')).toEqual(bodies.filter((body) => Number(body) % 50 === 7));
    },
  },
  {
    name: 'delivers each of 10,000 messages exactly once when nothing fails',
    async run(harness) {
      const transport = await harness.make();
      const probe = new TransportProbe();
      const consume: ConsumeBatch = probe.consumer(settle, 'side-by-side');
      await transport.subscribe({ ...FEW, batchSizeMax: 100, lanes: 4 }, consume);
      const messages = Array.from({ length: CALM_RUN_MESSAGES }, (_, index) => ({
        orderingKey: `k${index % 101}`,
        body: `${index}`,
      }));
      for (let index = 0; index < messages.length; index += 100) {
        await transport.publish(TOPIC, messages.slice(index, index + 100));
      }
      await settledAll(transport, probe, CALM_RUN_MESSAGES, harness.patienceMs);
      expect(probe.seen).toHaveLength(CALM_RUN_MESSAGES);
      expect(new Set(probe.settled).size).toBe(CALM_RUN_MESSAGES);
      expect(probe.violations).toEqual([]);
      for (const key of ['k0', 'k100']) {
        const numbers = probe.bodiesOf(key).map(Number);
        expect(numbers).toEqual([...numbers].sort((first, second) => first - second));
      }
    },
  },
];

import { expect } from 'vitest';
import type { Delivery } from '../../src/transport/transport.js';
import { createGate, numbered, TransportProbe, until } from './transport.probe.js';
import { FEW, settle, settledAll, SINGLY, TOPIC } from './transport.scenario-parts.js';
import type { TransportScenario } from './transport.suite.js';

export const lifecycleScenarios: readonly TransportScenario[] = [
  {
    name: 'takes the lane away when a stop reaches its limit: the signal aborts and a late settle rejects',
    async run(harness) {
      const transport = await harness.make();
      const probe = new TransportProbe();
      let held: Delivery | null = null;
      const subscription = await transport.subscribe(FEW, async ([delivery]) => {
        held = delivery!;
        await new Promise((resolve) => delivery!.signal.addEventListener('abort', resolve));
      });
      await transport.publish(TOPIC, numbered('a', 1));
      await until('in hand', () => held !== null, harness.patienceMs);
      expect(held!.signal.aborted).toBe(false);
      await subscription.stop(30);
      expect(held!.signal.aborted).toBe(true);
      await expect(held!.settle()).rejects.toMatchObject({ code: 'TRANSPORT_LANE_TAKEN_AWAY' });
      await transport.subscribe(FEW, probe.consumer(settle));
      await settledAll(transport, probe, 1, harness.patienceMs);
    },
  },
  {
    name: 'stops cleanly: waits for batches in hand, takes nothing new, loses nothing',
    async run(harness) {
      const transport = await harness.make();
      const [probe, later, gate] = [new TransportProbe(), new TransportProbe(), createGate()];
      const consume = probe.consumer((delivery) => gate.opened.then(() => delivery.settle()));
      const subscription = await transport.subscribe({ ...SINGLY, lanes: 2 }, consume);
      await transport.publish(TOPIC, [...numbered('a', 2), ...numbered('b', 2), ...numbered('c', 2)]);
      await until('two lanes in hand', () => probe.seen.length === 2, harness.patienceMs);
      let isStopped = false;
      const stopped = subscription.stop(harness.patienceMs).then(() => (isStopped = true));
      await transport.publish(TOPIC, numbered('d', 1));
      expect(isStopped).toBe(false);
      const openedAt = performance.now();
      gate.open();
      await stopped;
      expect(performance.now() - openedAt).toBeLessThan(harness.patienceMs / 2);
      expect(probe.settled).toHaveLength(2);
      expect(probe.seen).toHaveLength(2);
      await transport.subscribe(FEW, later.consumer(settle));
      await settledAll(transport, later, 5, harness.patienceMs);
      expect(later.seen.map(({ body }) => body)).not.toContain(probe.settled[0]);
    },
  },
  {
    name: 'rejects a publish of unknown outcome, says so, and is usable afterwards',
    async run(harness) {
      const transport = await harness.make();
      const probe = new TransportProbe();
      await transport.publish(TOPIC, numbered('a', 1));
      expect(transport.trouble()).toBeNull();
      await harness.fail();
      const publish = transport.publish(TOPIC, [{ orderingKey: 'x', body: 'perhaps' }]);
      await expect(publish).rejects.toMatchObject({ code: 'TRANSPORT_PUBLISH_FAILED', topic: TOPIC });
      expect(transport.trouble()?.reason).toEqual(expect.any(String));
      await harness.heal();
      await transport.publish(TOPIC, numbered('a', 2).slice(1));
      expect(transport.trouble()).toBeNull();
      await transport.subscribe(FEW, probe.consumer(settle));
      await until('both', () => probe.settled.filter((body) => body !== 'perhaps').length === 2, harness.patienceMs);
      expect(probe.bodiesOf('a')).toEqual(['a1', 'a2']);
    },
  },
  {
    name: 'passes foreign bodies through unchanged',
    async run(harness) {
      const transport = await harness.make();
      const probe = new TransportProbe();
      const large = '汉'.repeat(Math.floor(harness.features.bodyBytesMax / 3));
      const bodies = ['', '\0', 'a\0b', '007', '1e3', '{"v":', '中文 👩‍👩‍👧 \r\n\t\uFEFF', large];
      await transport.subscribe(FEW, probe.consumer(settle));
      for (const body of bodies) await transport.publish(TOPIC, [{ orderingKey: 'a', body }]);
      const odd = [{ orderingKey: 'k\0 007', body: 'odd key' }];
      await transport.publish(TOPIC, odd);
      await settledAll(transport, probe, bodies.length + 1, harness.patienceMs);
      expect(probe.bodiesOf('a')).toEqual(bodies);
      expect(probe.bodiesOf('k\0 007')).toEqual(['odd key']);
    },
  },
  {
    name: 'gives a second group every message too, or refuses it',
    async run(harness) {
      const transport = await harness.make();
      const [probe, other] = [new TransportProbe(), new TransportProbe()];
      await transport.subscribe(FEW, probe.consumer(settle));
      const second = transport.subscribe({ ...FEW, group: 'other' }, other.consumer(settle));
      if (!harness.features.secondGroup) {
        await expect(second).rejects.toMatchObject({ code: 'TRANSPORT_SUBSCRIPTION_REFUSED' });
        return;
      }
      await second;
      await transport.publish(TOPIC, numbered('a', 5));
      await until('both groups', () => probe.settled.length + other.settled.length === 10, harness.patienceMs);
      expect(other.bodiesOf('a')).toEqual(probe.bodiesOf('a'));
    },
  },
  {
    name: 'gives what a dead instance held to another of its group',
    needs: 'takeover',
    async run(harness) {
      const transport = await harness.make();
      const peer = await harness.peer!();
      const [probe, other, gate] = [new TransportProbe(), new TransportProbe(), createGate()];
      await peer.subscribe(
        FEW,
        other.consumer(() => gate.opened),
      );
      await transport.publish(TOPIC, numbered('a', 3));
      await until('held by the peer', () => other.seen.length > 0, harness.patienceMs);
      await transport.subscribe(FEW, probe.consumer(settle));
      await peer.close();
      await settledAll(transport, probe, 3, harness.patienceMs);
      expect(probe.settled).toEqual(['a1', 'a2', 'a3']);
      gate.open();
    },
  },
  {
    name: 'closes once however often it is asked, aborts what is in hand and then refuses to publish',
    async run(harness) {
      const transport = await harness.make();
      let signal: AbortSignal | null = null;
      await transport.subscribe(FEW, async ([delivery]) => {
        signal = delivery!.signal;
        await new Promise((resolve) => delivery!.signal.addEventListener('abort', resolve));
      });
      await transport.publish(TOPIC, numbered('a', 1));
      await until('in hand', () => signal !== null, harness.patienceMs);
      await Promise.all([transport.close(), transport.close()]);
      await transport.close();
      expect(signal!.aborted).toBe(true);
      const publish = transport.publish(TOPIC, numbered('a', 1));
      await expect(publish).rejects.toMatchObject({ code: 'TRANSPORT_PUBLISH_FAILED' });
    },
  },
];

import type { Delivery, SubscribeOptions, Transport } from '../../src/transport/transport.js';
import { until, type TransportProbe } from './transport.probe.js';

export const TOPIC = 'contract.events';
export const FEW: SubscribeOptions = { topic: TOPIC, group: 'contract', batchSizeMax: 10, lanes: 2 };
export const SINGLY: SubscribeOptions = { ...FEW, batchSizeMax: 1 };

export const settle = (delivery: Delivery): Promise<void> => delivery.settle();

export async function unsettled(transport: Transport): Promise<number | null> {
  return (await transport.backlog(TOPIC, FEW.group)).unsettled;
}

export async function settledAll(
  transport: Transport,
  probe: TransportProbe,
  count: number,
  limitMs: number,
): Promise<void> {
  await until(`${count} messages settled`, () => probe.settled.length >= count, limitMs);
  await until('nothing left', async () => ((await unsettled(transport)) ?? 0) === 0, limitMs);
}

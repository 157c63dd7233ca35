import { afterEach, beforeEach, expect, it } from 'vitest';
import { AdminRig, APPS } from '../support/admin-rig.js';
import { messageXml } from '../support/texts.js';
import { until } from '../support/until.js';
import { WecomClient } from '../support/wecom-client.js';

const TIME = 1_796_000_400;

let rig: AdminRig;
let client: WecomClient;

beforeEach(async () => {
  rig = await AdminRig.start();
  client = new WecomClient(rig.gateway.callbackBase, 'shop', APPS.shop);
});

afterEach(async () => {
  client.close();
  await rig.stop();
});

it('tells how callbacks were answered lately, and the minutes in which events arrived', async () => {
  for (const n of [1, 2, 3]) await client.deliver(messageXml(String(n), 'hello', TIME));
  await client.deliver(messageXml('3', 'hello', TIME));
  await client.post(
    { msg_signature: 'f'.repeat(40), timestamp: '1', nonce: '2' },
    '<xml><Encrypt>c2Vj</Encrypt></xml>',
  );
  await until(() => rig.gateway.isSettled());
  const { status, json } = await rig.get('traffic?windowMs=60000');
  expect(status).toBe(200);
  expect(json.callbacks).toMatchObject({
    answers: { published: 3, duplicate: 1 },
    refused: { WECOM_SIGNATURE_INVALID: 1 },
    answered: 4,
  });
  expect(json.callbacks.withinAim).toBeLessThanOrEqual(4);
  expect(json.callbacks.p50Ms).toBeGreaterThan(0);
  expect(json.callbacks.from).toBeLessThanOrEqual(json.callbacks.to);
  expect(json.arrivals.steps).toHaveLength(60);
  const arrived = json.arrivals.steps.flatMap((step: { statuses: Record<string, number> }) =>
    Object.values(step.statuses),
  ) as number[];
  expect(arrived.reduce((sum, count) => sum + count, 0)).toBe(3);
});

it('tells of each part of the process since when it is as it is', async () => {
  const { json } = await rig.get('traffic/dependencies');
  expect(json.items.map(({ name }: { name: string }) => name)).toContain('database');
  for (const { status, since, reason } of json.items) {
    expect({ status, reason }).toEqual({ status: 'up', reason: null });
    expect(since).toBeGreaterThan(json.at - 60_000);
  }
});

it('refuses a window that is none', async () => {
  expect((await rig.get('traffic?windowMs=soon')).status).toBe(400);
});

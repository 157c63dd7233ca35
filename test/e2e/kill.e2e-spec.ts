import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.js';
import { approvalXml, customerXml, groupXml, messageXml } from '../support/texts.js';
import { until } from '../support/until.js';
import { WecomClient } from '../support/wecom-client.js';

const KILLS = 5;
const ENTITIES = 40;
const STEPS = 6;
const SECONDS = 1_796_000_000;

/**
 * The skeptic's test: real processes, `kill -9` at random moments under load, start again, count. What was answered
 * `success` has one outcome, one effect, in order; what was not is delivered again, as WeCom does.
 */
describe('a process that is killed at any moment', () => {
  let dataDir: string;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'wecom-kill-'));
  });

  afterAll(async () => {
    await rm(dataDir, { recursive: true, force: true });
  });

  it('loses nothing, doubles nothing and turns nothing round', async () => {
    const seed = Number(process.env['KILL_SEED'] ?? Date.now() % 100_000);
    console.log(`seed=${seed}`);
    const chance = generator(seed);
    const texts = workload();
    const pending = new Set(texts);
    const answered = new Map<string, number>();
    for (let round = 0; round <= KILLS; round += 1) {
      const gateway = await GatewayProcess.start(dataDir);
      const client = new WecomClient(gateway.callbackBase, 'demo', gateway.demo);
      const share = Math.ceil(texts.length / KILLS);
      const batch = shuffled([...pending], chance).slice(0, round === KILLS ? undefined : share);
      const killed = round === KILLS ? null : killSoon(gateway, 20 + chance() * 400);
      await deliverAll(client, batch, pending, answered);
      await killed;
      client.close();
      if (round === KILLS) {
        await audit(gateway, answered, texts.length);
        expect(await gateway.stop()).toBe(0);
      }
    }
  });
});

async function audit(gateway: GatewayProcess, answered: ReadonlyMap<string, number>, total: number): Promise<void> {
  expect(answered.size).toBe(total);
  await until(async () => (await waiting(gateway)) === 0, 60_000, 'nothing waits any more');
  const { json: events } = await gateway.admin(`events?limit=1000`);
  expect(events.items.length).toBe(total);
  const statuses = new Set(events.items.map(({ status }: { status: string }) => status));
  expect([...statuses].filter((status) => !['APPLIED', 'STALE', 'REJECTED'].includes(String(status)))).toEqual([]);
  const { json: ledger } = await gateway.admin('entities/changes?limit=1000');
  const applied = events.items.filter((item: any) => item.status === 'APPLIED' && item.entityKey !== null);
  const effects = ledger.items.map(({ eventKey }: { eventKey: string }) => eventKey);
  expect(new Set(effects).size, 'no event has two effects').toBe(effects.length);
  expect(new Set(effects)).toEqual(new Set(applied.map(({ eventKey }: { eventKey: string }) => eventKey)));
  const last = new Map<string, [number, number]>();
  for (const { entityKey, createTime, eventRank } of ledger.items) {
    const before = last.get(entityKey) ?? [0, 0];
    expect(createTime > before[0] || (createTime === before[0] && eventRank >= before[1]), entityKey).toBe(true);
    last.set(entityKey, [createTime, eventRank]);
  }
}

async function waiting(gateway: GatewayProcess): Promise<number> {
  const { json } = await gateway.admin('summary');
  const rows = ['RETRY', 'PARKED', 'REDRIVEN'].reduce((sum, status) => sum + Number(json.statuses[status] ?? 0), 0);
  return rows + json.backlog.events;
}

/** Delivers each text two times or once, side by side; what is not answered stays pending for the next round. */
async function deliverAll(
  client: WecomClient,
  texts: readonly string[],
  pending: Set<string>,
  answered: Map<string, number>,
): Promise<void> {
  const queue = texts.flatMap((text, index) => (index % 3 === 0 ? [text, text] : [text]));
  const lanes = Array.from({ length: 16 }, async () => {
    for (let text = queue.shift(); text !== undefined; text = queue.shift()) {
      const answer = await client.deliver(text, { timeoutMs: 5_000 }).catch(() => null);
      if (answer?.status !== 200 || answer.body !== 'success') continue;
      answered.set(text, (answered.get(text) ?? 0) + 1);
      pending.delete(text);
    }
  });
  await Promise.all(lanes);
}

async function killSoon(gateway: GatewayProcess, ms: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, ms));
  await gateway.kill();
}

function workload(): string[] {
  const texts: string[] = [];
  for (let n = 0; n < ENTITIES; n += 1) {
    for (let step = 0; step < STEPS; step += 1) {
      const time = SECONDS + step * 2;
      if (n % 4 === 0) texts.push(approvalXml(`SP${n}`, step < STEPS - 1 ? 1 : 2, time, `<Step>${step}</Step>`));
      if (n % 4 === 1)
        texts.push(customerXml(step % 3 === 2 ? 'del_follow_user' : 'add_external_contact', `wm${n}`, time));
      if (n % 4 === 2) texts.push(groupXml(step === 0 ? 'create' : 'update', `wr${n}`, time, `<Step>${step}</Step>`));
      if (n % 4 === 3) texts.push(messageXml(`73000000000${n}${step}`, `hello ${n} ${step}`, time));
    }
  }
  return texts;
}

function shuffled<T>(items: T[], chance: () => number): T[] {
  for (let at = items.length - 1; at > 0; at -= 1) {
    const other = Math.floor(chance() * (at + 1));
    [items[at], items[other]] = [items[other] as T, items[at] as T];
  }
  return items;
}

/** mulberry32: small, good enough, and the same everywhere. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

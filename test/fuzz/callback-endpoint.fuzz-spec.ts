import { mkdtemp, rm } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { BUILT_IN_ENTITY_TYPES } from '../../src/entity-types/built-in.js';
import { EntityTypeRegistry } from '../../src/entity-types/entity-type-registry.js';
import { decodeAesKey } from '../../src/wecom/aes-key.js';
import { decrypt } from '../../src/wecom/cipher.js';
import { eventKey } from '../../src/wecom/event-key.js';
import { parseEvent } from '../../src/wecom/parse-event.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { envelopeOf, queryString, seal, type TestCredentials } from '../support/sealer.js';
import { SeededRandom } from '../support/seeded-random.js';
import { until } from '../support/until.js';
import { WecomClient } from '../support/wecom-client.js';
import { fuzzBox } from './fuzz-box.js';
import { Mutator } from './mutator.js';
import { SAMPLES } from './samples.js';

/** All that a callback URL may answer. Anything else, above all 500, is a fault of ours. */
const STATUSES = [200, 400, 403, 404, 405, 408, 411, 413, 414, 415, 417, 431, 501, 505];
const RSS_GROWTH_BYTES_MAX = 256 * 1024 * 1024;
const LOOKUP_MAX = 500;
const EXCHANGE_LIMIT_MS = 6_000;

describe('the callback endpoint of a running service', () => {
  const box = fuzzBox();
  const mutator = new Mutator(new SeededRandom(box.seed));
  const registry = new EntityTypeRegistry(BUILT_IN_ENTITY_TYPES);
  let dataDir: string;
  let gateway: GatewayProcess;
  let app: TestCredentials;
  let client: WecomClient;
  let rssAtStart: number;
  /** Keys of all that was answered `success`. */
  const answered = new Set<string>();

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'wecom-fuzz-'));
    gateway = await GatewayProcess.start(dataDir, { RETRY_DELAYS: '10,10,10' });
    app = gateway.demo;
    client = new WecomClient(gateway.callbackBase, 'demo', app);
    rssAtStart = await residentBytes();
  });

  afterAll(async () => {
    client.close();
    await gateway.stop();
    await rm(dataDir, { recursive: true, force: true });
  });

  function keyOf(encrypt: string): string {
    const opened = decrypt(encrypt, decodeAesKey(app.encodingAESKey), [app.receiveId]);
    if (!opened.ok) throw new Error('the fuzzer sealed a text that does not open');
    const parsed = parseEvent(opened.plaintext, opened.receiveId);
    const event = parsed.kind === 'event' ? parsed.event : null;
    const volatile = (event && registry.typeOf(event.eventType, event.changeType)?.volatile) ?? [];
    const { receiveId, plaintext } = opened;
    return eventKey({ receiver: 'demo', parsed, receiveId, plaintext, volatile });
  }

  async function residentBytes(): Promise<number> {
    const text = await (await fetch(`${gateway.adminBase}/metrics`, { headers: { connection: 'close' } })).text();
    return Number(/^process_resident_memory_bytes (\S+)/m.exec(text)?.[1]);
  }

  async function serves(): Promise<void> {
    expect((await fetch(`${gateway.callbackBase}/health/live`, { headers: { connection: 'close' } })).status).toBe(200);
    expect(gateway.child.exitCode, gateway.raw).toBeNull();
  }

  it('keeps every text that WeCom signed, whatever is in it', async () => {
    for (const round of box.rounds()) {
      const text = mutator.mutate(mutator.pick(SAMPLES));
      const { encrypt, query } = seal(app, text);
      const answer = await client.post(query, envelopeOf(app, encrypt));
      expect([answer.status, answer.body], `round ${round}: ${text.toString('base64')}`).toEqual([200, 'success']);
      answered.add(keyOf(encrypt));
    }
    expect(answered.size).toBeGreaterThan(50);
    await serves();
  });

  it('answers no damaged request with success that does not hold what was signed, and none with a fault', async () => {
    for (const round of box.rounds()) {
      const { encrypt, query } = seal(app, mutator.pick(SAMPLES));
      const body = Buffer.from(envelopeOf(app, encrypt));
      const isQuery = mutator.below(2) === 0;
      const search = isQuery ? encodeURI(mutator.mutateText(queryString(query))) : queryString(query);
      const sent = isQuery && mutator.below(4) > 0 ? body : mutator.mutate(body);
      const type = mutator.pick([
        'text/xml',
        'application/json',
        'application/octet-stream',
        'multipart/form-data',
        'x',
      ]);
      const answer = await client.request({
        method: mutator.pick(['POST', 'POST', 'POST', 'GET', 'PUT', 'OPTIONS', 'HEAD']),
        path: `/wecom/callbacks/${mutator.pick(['demo', 'demo', 'demo', 'other', '%00', '../demo', '__proto__'])}?${search}`,
        headers: { 'Content-Type': type },
        body: sent,
      });
      expect(STATUSES, `round ${round}: ${search} ${sent.toString('base64')}`).toContain(answer.status);
      // Damage outside of what is signed is none: such a callback counts like any other.
      if (answer.body === 'success') answered.add(keyOf(encrypt));
    }
    await serves();
  });

  it('survives bytes that are hardly HTTP', async () => {
    const port = Number(new URL(gateway.callbackBase).port);
    for (const round of box.rounds()) {
      const { encrypt, query } = seal(app, mutator.pick(SAMPLES));
      const body = envelopeOf(app, encrypt);
      const head = `POST /wecom/callbacks/demo?${queryString(query)} HTTP/1.1\r\nHost: a\r\nContent-Type: text/xml\r\n`;
      const framing = mutator.pick([
        `Content-Length: ${body.length}`,
        'Transfer-Encoding: chunked',
        'Content-Length: 5',
      ]);
      const bytes = mutator.mutate(Buffer.from(`${head}Connection: close\r\n${framing}\r\n\r\n${body}`));
      const text = await exchange(port, bytes);
      const status = Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 400);
      expect(STATUSES, `round ${round}: ${bytes.toString('base64')} => ${text}`).toContain(status);
      if (text.endsWith('success')) answered.add(keyOf(encrypt));
    }
    await serves();
  });

  it('has a row for each success, and has not grown', async () => {
    await until(async () => {
      const { json } = await gateway.admin('summary');
      const waiting = ['RETRY', 'PARKED', 'REDRIVEN'].some((status) => Number(json.statuses[status] ?? 0) > 0);
      return !waiting && json.backlog.events === 0 && json.spool.depth === 0;
    }, 60_000);
    const keys = [...answered];
    const missing: string[] = [];
    for (let at = 0; at < keys.length; at += LOOKUP_MAX) {
      const asked = keys.slice(at, at + LOOKUP_MAX);
      const { json } = await gateway.admin('events/lookup', { eventKeys: asked });
      const found = new Set(json.items.map((item: { eventKey: string }) => item.eventKey));
      missing.push(...asked.filter((key) => !found.has(key)));
    }
    expect(missing).toEqual([]);
    const { json } = await gateway.admin('summary');
    expect(json.balance.missing).toBe(0);
    expect((await residentBytes()) - rssAtStart).toBeLessThan(RSS_GROWTH_BYTES_MAX);
  });
});

/** Sends bytes and returns what came back until the other end closed or `EXCHANGE_LIMIT_MS` passed. */
function exchange(port: number, bytes: Buffer): Promise<string> {
  return new Promise((resolve) => {
    const parts: Buffer[] = [];
    const socket = connect(port, '127.0.0.1', () => socket.end(bytes));
    socket.setTimeout(EXCHANGE_LIMIT_MS, () => socket.destroy());
    socket.on('data', (part) => parts.push(part));
    // A reset is an answer as good as any.
    socket.on('error', () => undefined);
    socket.on('close', () => resolve(Buffer.concat(parts).toString('latin1')));
  });
}

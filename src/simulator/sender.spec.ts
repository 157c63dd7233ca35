import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { afterEach, describe, expect, it } from 'vitest';
import { decodeAesKey } from '../wecom/aes-key.js';
import { decrypt } from '../wecom/cipher.js';
import { openEnvelope } from '../wecom/envelope.js';
import { verifySignature } from '../wecom/signature.js';
import type { Credentials } from './credentials.js';
import { HttpClient } from './http-client.js';
import type { SimulatedEvent } from './identify-event.js';
import { Sealer } from './sealer.js';
import { SeededRandom } from './seeded-random.js';
import { Sender, type SenderOptions } from './sender.js';

const CREDENTIALS: Credentials = {
  app: 'demo',
  token: 'simulatedToken',
  aesKey: decodeAesKey('aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789aBcDeFg'),
  receiveId: 'wwSimulated0001',
  adminToken: '',
};
const OPTIONS = { rate: 0, concurrency: 4, timeoutMs: 2_000, retries: 3, retryAfterMs: 5, seed: 1 };

interface Received {
  readonly plaintext: string;
  readonly encrypt: string;
}

let server: Server | undefined;
let http: HttpClient | undefined;

afterEach(async () => {
  http?.close();
  server?.closeAllConnections();
  await new Promise((resolve) => (server ? server.close(resolve) : resolve(undefined)));
  [server, http] = [undefined, undefined];
});

/** Opens each callback as a receiver must and has `answer` deal with it. */
async function listen(answer: (received: Received, response: ServerResponse) => void): Promise<string> {
  server = createServer((request, response) => {
    void open(request).then((received) => answer(received, response));
  });
  await new Promise<void>((resolve) => server!.listen(0, '127.0.0.1', resolve));
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/wecom/callbacks/demo`;
}

async function open(request: IncomingMessage): Promise<Received> {
  const query = new URL(request.url!, 'http://localhost').searchParams;
  const envelope = openEnvelope(Buffer.from(await text(request)));
  if (!envelope.ok) throw new Error(envelope.error);
  const [timestamp, nonce, signature] = ['timestamp', 'nonce', 'msg_signature'].map((name) => query.get(name)!);
  const parts = { token: CREDENTIALS.token, timestamp: timestamp!, nonce: nonce!, encrypt: envelope.encrypt };
  if (!verifySignature(parts, signature!)) throw new Error('wrong signature');
  const opened = decrypt(envelope.encrypt, CREDENTIALS.aesKey, [CREDENTIALS.receiveId]);
  if (!opened.ok) throw new Error(opened.error);
  return { plaintext: opened.plaintext, encrypt: envelope.encrypt };
}

function sender(url: string, options: Partial<SenderOptions> = {}): Sender {
  http = new HttpClient(OPTIONS.concurrency);
  const sealer = new Sealer(CREDENTIALS, new SeededRandom(1, 'seal'));
  return new Sender(http, sealer, { ...OPTIONS, urls: [url], ...options }, () => {});
}

function events(...plaintexts: string[]): SimulatedEvent[] {
  return plaintexts.map((plaintext) => ({
    plaintext,
    eventKey: plaintext,
    entityKey: null,
    rank: 0,
    createTime: null,
  }));
}

function once(...indexes: number[]): { event: number; hangsUp: boolean }[] {
  return indexes.map((event) => ({ event, hangsUp: false }));
}

describe('Sender', () => {
  it('seals each delivery anew, so that a duplicate has another ciphertext', async () => {
    const seen: Received[] = [];
    const url = await listen((received, response) => {
      seen.push(received);
      response.end('success');
    });
    const report = await sender(url).send(events('<xml>中文</xml>', 'b'), once(0, 1, 0));
    expect(seen.map(({ plaintext }) => plaintext).sort()).toEqual(['<xml>中文</xml>', '<xml>中文</xml>', 'b']);
    expect(new Set(seen.map(({ encrypt }) => encrypt)).size).toBe(3);
    expect([...report.answeredByEvent]).toEqual([2, 1]);
    expect(report).toMatchObject({ answeredCount: 3, unansweredCount: 0, sentCount: 3 });
  });

  it.each([
    ['another status', 503, 'success'],
    ['another body', 200, 'success\n'],
  ])('delivers again after %s, until it is answered success', async (_, status, body) => {
    let count = 0;
    const url = await listen((_received, response) => {
      count += 1;
      response.statusCode = count < 3 ? status : 200;
      response.end(count < 3 ? body : 'success');
    });
    const report = await sender(url).send(events('a'), once(0));
    expect(report).toMatchObject({ answeredCount: 1, unansweredCount: 0, sentCount: 3 });
    expect(report.failures).toEqual(new Map([[`HTTP ${status}`, 2]]));
    expect(report.latenciesMs).toHaveLength(1);
  });

  it('gives up after the last retry and counts the delivery as unanswered', async () => {
    const url = await listen((_received, response) => response.destroy());
    const report = await sender(url, { retries: 2 }).send(events('a'), once(0));
    expect(report).toMatchObject({ answeredCount: 0, unansweredCount: 1, sentCount: 3 });
    expect([...report.answeredByEvent]).toEqual([0]);
  });

  it('does not wait for an answer longer than its limit', async () => {
    const url = await listen(() => {});
    const report = await sender(url, { retries: 0, timeoutMs: 20 }).send(events('a'), once(0));
    expect(report.failures).toEqual(new Map([['timeout', 1]]));
  });

  it('shares deliveries among its targets by seed, and takes what one refuses to the next', async () => {
    const url = await listen((_received, response) => response.end('success'));
    // Nobody listens on port 1.
    const urls = [url, 'http://127.0.0.1:1/wecom/callbacks/demo'];
    const names = Array.from({ length: 40 }, (_, event) => `event-${event}`);
    const plan = once(...names.keys());
    const refused = async (seed: number): Promise<number> => {
      const report = await sender(url, { urls, seed }).send(events(...names), plan);
      http?.close();
      expect(report).toMatchObject({ answeredCount: 40, unansweredCount: 0 });
      expect([...report.failures.keys()]).toEqual(['ECONNREFUSED']);
      return report.failures.get('ECONNREFUSED')!;
    };
    const count = await refused(7);
    expect(count).toBeGreaterThan(5);
    expect(count).toBeLessThan(35);
    expect(await refused(7)).toBe(count);
  });

  it('hangs up on a first attempt that is to lose its answer, and delivers it again', async () => {
    const url = await listen((_received, response) => response.end('success'));
    const report = await sender(url).send(events('a'), [{ event: 0, hangsUp: true }]);
    expect(report).toMatchObject({ answeredCount: 1, sentCount: 2 });
    expect(report.failures).toEqual(new Map([['hung-up', 1]]));
  });

  it('begins nothing new in a hurry while connections fail', async () => {
    const arrivals: string[] = [];
    let isUp = false;
    const url = await listen(({ plaintext }, response) => {
      arrivals.push(plaintext);
      if (isUp) response.end('success');
      else response.destroy();
      if (arrivals.length === 2) isUp = true;
    });
    const plan = once(...Array.from({ length: 200 }, (_, event) => event));
    const names = plan.map(({ event }) => `event-${event}`);
    const report = await sender(url, { concurrency: 1, retryAfterMs: 50 }).send(events(...names), plan);
    expect(report).toMatchObject({ answeredCount: 200, unansweredCount: 0 });
    // The first went wrong, and its retry came before the second delivery of the schedule was begun.
    expect(arrivals[1]).toBe('event-0');
  });

  it('keeps to its rate', async () => {
    const url = await listen((_received, response) => response.end('success'));
    const startedAt = performance.now();
    await sender(url, { rate: 100 }).send(events('a'), once(...Array.from({ length: 21 }, () => 0)));
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(190);
  });
});

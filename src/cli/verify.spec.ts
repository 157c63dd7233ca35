import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { CliWorld } from '../../test/support/cli-world.js';
import { freePort } from '../../test/support/free-port.js';
import { decodeAesKey } from '../wecom/aes-key.js';
import { decrypt } from '../wecom/cipher.js';
import { verifySignature } from '../wecom/signature.js';

const APP = {
  token: 'aToken',
  encodingAESKey: 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG',
  receiveId: 'ww1234567890abcdef',
};
const NEXT = { token: 'nextToken', encodingAESKey: 'GFEDCBA9876543210zyxwvutsrqponmlkjihgfedcba' };

interface Receiver {
  readonly pairs?: readonly { token: string; encodingAESKey: string }[];
  readonly receiveIds?: readonly string[] | 'any';
  readonly checksSignature?: boolean;
  readonly answer?: (response: ServerResponse, echo: string, sealed: string) => void;
}

/** A receiver as somebody could have written it. */
function receive(request: IncomingMessage, response: ServerResponse, receiver: Receiver): void {
  const { pairs = [APP], receiveIds = [APP.receiveId], checksSignature = true } = receiver;
  const query = new URL(request.url ?? '', 'http://x').searchParams;
  const text = (name: string): string => query.get(name) ?? '';
  for (const { token, encodingAESKey } of pairs) {
    const parts = { token, timestamp: text('timestamp'), nonce: text('nonce'), encrypt: text('echostr') };
    if (checksSignature && !verifySignature(parts, text('msg_signature'))) continue;
    const ids = receiveIds === 'any' ? [APP.receiveId, 'ww0000000000000000'] : receiveIds;
    const opened = decrypt(text('echostr'), decodeAesKey(encodingAESKey), ids);
    if (!opened.ok) continue;
    const { answer = (_, echo) => response.end(echo) } = receiver;
    answer(response, opened.plaintext, text('echostr'));
    return;
  }
  response.statusCode = 403;
  response.end('refused');
}

describe('verify', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wecom-verify-'));
  const apps = join(folder, 'apps.json');
  let receiver: Receiver = {};
  let server: Server;
  let base = '';

  beforeAll(async () => {
    server = createServer((request, response) => receive(request, response, receiver));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}/wecom/callbacks/crm`;
    writeFileSync(apps, JSON.stringify({ crm: APP }));
  });

  afterEach(() => {
    receiver = {};
    writeFileSync(apps, JSON.stringify({ crm: APP }));
  });

  afterAll(async () => {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
    rmSync(folder, { recursive: true });
  });

  async function verify(
    url = base,
    ...flags: string[]
  ): Promise<{ code: number | null; found: string[]; world: CliWorld }> {
    const world = new CliWorld();
    const code = await world.run('verify', url, '--apps', apps, '--json', ...flags);
    const pairs: { findings: { code: string }[] }[] = world.json.pairs;
    return { code, found: pairs.flatMap(({ findings }) => findings.map((finding) => finding.code)), world };
  }

  it('takes the bare text', async () => {
    expect(await verify()).toMatchObject({ code: 0, found: [] });
  });

  it.each<[string, (response: ServerResponse, echo: string, sealed: string) => void]>([
    ['json', (response, echo) => response.end(JSON.stringify({ code: 0, data: echo }))],
    ['quoted', (response, echo) => response.end(JSON.stringify(echo))],
    ['white-space', (response, echo) => response.end(`${echo}\n`)],
    ['white-space', (response, echo) => response.end(` ${echo}`)],
    ['byte-order-mark', (response, echo) => response.end(`\ufeff${echo}`)],
    ['empty', (response) => response.end()],
    ['still-sealed', (response, _, sealed) => response.end(sealed)],
    ['whole-buffer', (response, echo) => response.end(`0123456789abcdef\0\0\0\u0013${echo}${APP.receiveId}`)],
    ['html', (response) => response.end('<!DOCTYPE html><html><body>Please log in</body></html>')],
    ['wrong-text', (response) => response.end('success')],
    ['other-text', (response, echo) => response.end(`echo: ${echo}`)],
    ['redirect', (response) => response.writeHead(302, { location: 'https://login.example/' }).end()],
    ['not-found', (response) => response.writeHead(404).end()],
    ['unavailable', (response) => response.writeHead(502).end()],
    ['status', (response, echo) => response.writeHead(201).end(echo)],
    ['broken-off', (response) => response.destroy()],
  ])('calls an answer %s', async (code, answer) => {
    receiver = { answer };
    expect(await verify()).toMatchObject({ code: 1, found: [code] });
  });

  it('names an answer that comes later than WeCom waits, right as it may be', async () => {
    receiver = { answer: (response, echo) => void setTimeout(() => response.end(echo), 1_100) };
    expect(await verify()).toMatchObject({ code: 1, found: ['slow'] });
  });

  it('waits no longer than told', async () => {
    receiver = { answer: () => undefined };
    expect(await verify(base, '--timeout', '200')).toMatchObject({ code: 1, found: ['timeout'] });
  });

  it('sees that a receiver does not check the signature, or the corp id', async () => {
    receiver = { checksSignature: false };
    expect(await verify()).toMatchObject({ code: 1, found: ['signature-not-checked'] });
    receiver = { receiveIds: 'any' };
    expect(await verify()).toMatchObject({ code: 1, found: ['receive-id-not-checked'] });
  });

  it('tells the wrong corp id when another of the app’s ids is taken', async () => {
    writeFileSync(apps, JSON.stringify({ crm: { ...APP, receiveId: 'ww9', alsoReceiveIds: [APP.receiveId] } }));
    const { code, found, world } = await verify();
    expect([code, found]).toEqual([1, ['refused']]);
    expect(world.stdout).toContain(`takes the receive id ${APP.receiveId}, but not ww9`);
  });

  it('tries both pairs of a rotation', async () => {
    writeFileSync(apps, JSON.stringify({ crm: { ...APP, next: NEXT } }));
    const { code, world } = await verify();
    expect(code).toBe(1);
    expect(world.json.pairs.map(({ pair, findings }: any) => [pair, findings.length])).toEqual([
      ['current', 0],
      ['next', 1],
    ]);
    receiver = { pairs: [APP, NEXT] };
    expect(await verify()).toMatchObject({ code: 0 });
  });

  it('ends with 3 where nothing answers, and with 2 for what is no URL', async () => {
    expect(await verify(`http://127.0.0.1:${await freePort()}/wecom/callbacks/crm`)).toMatchObject({
      code: 3,
      found: ['unreachable'],
    });
    for (const url of ['crm', 'ftp://host/', 'https://user:secret@host/wecom/callbacks/crm']) {
      const world = new CliWorld();
      expect(await world.run('verify', url, '--apps', apps)).toBe(2);
      expect(world.stdout).toBe('');
    }
  });

  it('shows no control characters of a stranger’s answer', async () => {
    receiver = { answer: (response) => response.end('\u001b[2J\u0007\u202egone') };
    const world = new CliWorld();
    expect(await world.run('verify', base, '--apps', apps)).toBe(1);
    expect(world.stdout).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u202e]/);
  });
});

import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { decodeAesKey } from '../wecom/aes-key.js';
import { decrypt } from '../wecom/cipher.js';
import { openEnvelope } from '../wecom/envelope.js';
import type { EventRow, LedgerRow } from './admin-client.js';
import { identifyEvent } from './identify-event.js';
import { simulate } from './simulate.js';

const DEMO = {
  token: 'simulatedToken',
  encodingAESKey: 'aBcDeFgHiJkLmNoPqRsTuVwXyZ0123456789aBcDeFg',
  receiveId: 'wwSim',
};
const AES_KEY = decodeAesKey(DEMO.encodingAESKey);
const ADMIN_TOKEN = 'admin-token-of-this-test';

/** This service has no handler, and says so. */
const STATELESS = { fromState: '', toState: '' };

/** A service that applies everything in the order of arrival, whatever its age; `loses` and `doubles` go by event count. */
class FakeService {
  readonly rows = new Map<string, EventRow>();
  readonly ledger: LedgerRow[] = [];
  readonly server: Server;
  url = '';

  constructor(
    private readonly faults: { loses?: number; doubles?: number; mayApplyOutOfOrder?: boolean; keepsNothing?: boolean },
  ) {
    this.server = createServer((request, response) => {
      void this.answer(request, response);
    });
  }

  async start(): Promise<void> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const url = new URL(request.url!, this.url);
    const body = await text(request);
    if (url.pathname.startsWith('/admin/api/v1/')) {
      if (request.headers.authorization !== `Bearer ${ADMIN_TOKEN}`) response.writeHead(401).end();
      else response.end(JSON.stringify(this.ask(url, body)));
      return;
    }
    const sealed = url.searchParams.get('echostr') ?? (openEnvelope(Buffer.from(body)) as { encrypt: string }).encrypt;
    const opened = decrypt(sealed, AES_KEY, [DEMO.receiveId]);
    if (!opened.ok) response.writeHead(403).end();
    else if (request.method === 'GET') response.end(opened.plaintext);
    else if (this.faults.keepsNothing === true) response.writeHead(503).end();
    else {
      this.apply(opened.plaintext);
      response.end('success');
    }
  }

  private apply(plaintext: string): void {
    const { eventKey, entityKey, createTime, rank } = identifyEvent(plaintext, 'demo', DEMO.receiveId);
    if (this.rows.has(eventKey)) return;
    const last = this.ledger.findLast((row) => row.entityKey === entityKey);
    const isLate =
      last && (createTime! < last.createTime! || (createTime === last.createTime && rank < last.eventRank));
    const status = isLate && this.faults.mayApplyOutOfOrder !== true ? 'STALE' : 'APPLIED';
    this.rows.set(eventKey, { eventKey, entityKey, status, errorCode: null, errorMessage: null });
    if (status !== 'APPLIED' || entityKey === null) return;
    const copies = this.ledger.length === this.faults.doubles ? 2 : 1;
    for (let copy = 0; copy < copies; copy++) {
      // With gaps, as rolled back transactions leave them.
      this.ledger.push({
        id: this.ledger.length * 3 + 1,
        entityKey,
        eventKey,
        ...STATELESS,
        createTime,
        eventRank: rank,
      });
    }
  }

  private ask(url: URL, body: string): object {
    if (url.pathname.endsWith('/summary')) {
      return { backlog: { events: 0, deadLetters: 0 }, spool: { depth: 0 }, lastChangeId: this.ledger.at(-1)?.id ?? 0 };
    }
    if (url.pathname.endsWith('/changes')) {
      const start = Number(url.searchParams.get('afterId'));
      return { items: this.ledger.filter(({ id }) => id > start).slice(0, 100) };
    }
    const hidden = [...this.rows.keys()][this.faults.loses ?? -1];
    const { eventKeys } = JSON.parse(body) as { eventKeys: string[] };
    return { items: eventKeys.flatMap((key) => (key === hidden ? [] : (this.rows.get(key) ?? []))) };
  }
}

let folder: string;
let service: FakeService | undefined;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'simulate-'));
  writeFileSync(join(folder, 'demo.json'), JSON.stringify({ demo: DEMO }));
  writeFileSync(join(folder, 'admin-token'), `${ADMIN_TOKEN}\n`);
});

afterEach(async () => {
  rmSync(folder, { recursive: true });
  service?.server.closeAllConnections();
  await new Promise((resolve) => (service ? service.server.close(resolve) : resolve(undefined)));
  service = undefined;
});

async function run(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  const [stdout, stderr] = [new Collector(), new Collector()];
  const target = service?.url ?? 'http://127.0.0.1:9';
  const flags = [
    '--target',
    target,
    '--admin',
    target,
    '--data',
    folder,
    '--seed',
    '5',
    '--count',
    '300',
    '--retry-after',
    '5',
  ];
  const terminal = { stdout: stdout as unknown as NodeJS.WriteStream, stderr: stderr as unknown as NodeJS.WriteStream };
  const code = await simulate([...flags, '--settle-timeout', '1', ...args], {}, terminal);
  return { code, stdout: stdout.text, stderr: stderr.text };
}

class Collector extends Writable {
  text = '';

  override _write(chunk: Buffer, _encoding: string, done: () => void): void {
    this.text += chunk.toString();
    done();
  }
}

async function start(faults: ConstructorParameters<typeof FakeService>[0] = {}): Promise<void> {
  service = new FakeService(faults);
  await service.start();
}

describe('simulate', () => {
  it('ends with 0 and a table when the service did everything right', async () => {
    await start();
    const { code, stdout } = await run('--shuffle', '--duplicates', '2');
    expect(stdout).toMatch(/^seed=5 /);
    expect(stdout).toContain('OK: nothing lost');
    expect(stdout).toMatch(/^lost +0 /m);
    expect(code).toBe(0);
    expect(service!.rows.size).toBe(300);
  });

  it('prints only JSON on stdout when asked to', async () => {
    await start();
    const { code, stdout } = await run('--json', '--duplicates', '0', '--hang-up-share', '0');
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      seed: 5,
      events: 300,
      sent: 300,
      answered: 300,
      duplicates: 0,
    });
    expect(code).toBe(0);
  });

  it.each([
    ['lost', { loses: 7 }],
    ['doubled', { doubles: 7 }],
    ['inversions', { mayApplyOutOfOrder: true }],
  ])('ends with 1 and an example when the service is guilty of: %s', async (name, faults) => {
    await start(faults);
    const { code, stdout } = await run('--shuffle', '--json');
    const result = JSON.parse(stdout) as Record<string, number> & { examples: Record<string, object[]> };
    expect(result[name]).toBeGreaterThan(0);
    expect(result.examples[name]![0]).toMatchObject({ eventKey: expect.stringMatching(/^[0-9a-f]{64}$/) });
    expect(code).toBe(1);
  });

  it('ends with 1 when nothing was answered: such a run shows nothing', async () => {
    await start({ keepsNothing: true });
    const { code, stdout } = await run('--retries', '1');
    expect(stdout).toContain('not one delivery was answered');
    expect(stdout).toMatch(/unanswered requests: HTTP 503 \d+/);
    expect(code).toBe(1);
  });

  it('ends with 2 and says what to do when nothing listens', async () => {
    const { code, stderr } = await run();
    expect(stderr).toContain('Start the service (npm start)');
    expect(code).toBe(2);
  });

  it('ends with 2 when the credentials are another service’s', async () => {
    await start();
    const foreign = { ...DEMO, receiveId: 'wwOther' };
    writeFileSync(join(folder, 'demo.json'), JSON.stringify({ demo: foreign }));
    const { code, stderr } = await run();
    expect(stderr).toContain('does not pass the URL verification');
    expect(code).toBe(2);
    expect(service!.rows.size).toBe(0);
  });

  it('ends with 2 when the admin token is refused, before anything was delivered', async () => {
    await start();
    writeFileSync(join(folder, 'admin-token'), 'another-admin-token');
    const { code, stderr } = await run();
    expect(stderr).toContain('refuses the admin token');
    expect(code).toBe(2);
    expect(service!.rows.size).toBe(0);
  });

  it.each([
    ['demo.json', 'Cannot read'],
    ['admin-token', 'Cannot read'],
  ])('ends with 2 when %s is missing', async (file, message) => {
    rmSync(join(folder, file));
    const { code, stderr } = await run();
    expect(stderr).toContain(message);
    expect(code).toBe(2);
  });

  it('names the apps there are when the asked one is missing', async () => {
    const { code, stderr } = await run('--app', 'other');
    expect(stderr).toContain('It has: demo');
    expect(code).toBe(2);
  });

  it('ends with 2 for a wrong flag and with 0 for help', async () => {
    expect(await run('--nonsense')).toMatchObject({ code: 2, stdout: '' });
    expect((await run('--help')).stdout).toContain('--retry-after');
  });
});

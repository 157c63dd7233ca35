import { writeFile, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getDataSourceToken } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { Spool } from '../../src/callback/spool.js';
import { IdempotencyStore, GuardUnavailableError } from '../../src/idempotency/idempotency-store.js';
import { PublishFailedError, Transport } from '../../src/transport/transport.js';
import { GatewayInProcess } from '../support/gateway-in-process.js';
import { approvalXml, messageXml } from '../support/texts.js';
import { until } from '../support/until.js';
import { WecomClient } from '../support/wecom-client.js';

const KEY = 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C';
const NEXT_KEY = 'zzjYlymNdHDmDz8cvAsvCLextYmBmuBNSm1VpqpyYU4';
const APP = { token: 'tokenOne', encodingAESKey: KEY, receiveId: 'wwtest' };
const APPS = {
  hang: { ...APP, deadlineMs: 500, nackMode: 'hang' },
  reset: { ...APP, nackMode: 'reset' },
  busy: { ...APP, nackMode: '503' },
  rotating: { ...APP, next: { token: 'tokenTwo', encodingAESKey: NEXT_KEY } },
  bot: { ...APP, receiveId: '', envelope: 'json' as const },
};
const TIME = 1_796_000_400;

type Method<T> = { [K in keyof T]: T[K] extends (...args: never[]) => unknown ? K : never }[keyof T];

describe('the request path', () => {
  let gateway: GatewayInProcess;
  let folder: string;
  const clients: WecomClient[] = [];

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'wecom-apps-'));
    await writeFile(join(folder, 'apps.json'), JSON.stringify(APPS));
    gateway = await GatewayInProcess.start({ WECOM_APPS_FILE: join(folder, 'apps.json') });
  });

  afterEach(async () => {
    for (const one of clients.splice(0)) one.close();
    await gateway.stop();
    await rm(folder, { recursive: true, force: true });
  });

  function client(app: keyof typeof APPS, credentials = APPS[app] as typeof APP): WecomClient {
    const made = new WecomClient(gateway.callbackBase, app, credentials);
    clients.push(made);
    return made;
  }

  /** Makes one method of a real part fail until the returned function is called. */
  function fault<T extends object>(part: T, method: Method<T>, behaviour: unknown): () => void {
    Object.defineProperty(part, method, { value: behaviour, configurable: true });
    return () => void delete part[method];
  }

  const transport = (): Transport => gateway.gateway.app.get(Transport);
  const spool = (): Spool => gateway.gateway.app.get(Spool, { strict: false });
  const guard = (): IdempotencyStore => gateway.gateway.app.get(IdempotencyStore);

  async function statuses(): Promise<string[]> {
    const { json } = await gateway.admin('events?limit=1000');
    return json.items.map(({ status }: { status: string }) => status);
  }

  it('goes on without a guard that is down', async () => {
    fault(guard(), 'claim', () => Promise.reject(new GuardUnavailableError()));
    fault(guard(), 'acquire', () => Promise.reject(new GuardUnavailableError()));
    for (let n = 0; n < 3; n += 1) {
      expect((await client('busy').deliver(approvalXml('A1', 1, TIME))).body).toBe('success');
    }
    await until(() => gateway.isSettled());
    expect(await statuses()).toEqual(['APPLIED']);
  });

  it('answers in time although the guard hangs', async () => {
    fault(guard(), 'claim', () => new Promise(() => undefined));
    const answer = await client('busy').deliver(approvalXml('A2', 1, TIME));
    expect(answer.body).toBe('success');
    expect(answer.ms).toBeLessThan(1_000);
  });

  it('spools what the transport refuses, answers success, and drains in order when it is back', async () => {
    const heal = fault(transport(), 'publish', (topic: string) =>
      Promise.reject(new PublishFailedError(topic, { cause: new Error('away') })),
    );
    for (let n = 0; n < 5; n += 1) {
      expect((await client('busy').deliver(approvalXml('A3', 1, TIME + n))).body).toBe('success');
    }
    expect(spool().state().depth).toBe(5);
    expect(await statuses()).toEqual([]);
    heal();
    // It goes behind what waits, although the transport would take it at once.
    await client('busy').deliver(approvalXml('A3', 2, TIME + 9));
    await until(async () => (await statuses()).length === 6);
    expect(await statuses()).toEqual(Array(6).fill('APPLIED'));
  });

  it('spools when the transport hangs, well inside the deadline', async () => {
    fault(transport(), 'publish', () => new Promise(() => undefined));
    const answer = await client('busy').deliver(approvalXml('A4', 1, TIME));
    expect([answer.status, answer.body]).toEqual([200, 'success']);
    expect(answer.ms).toBeLessThan(4_500);
    expect(spool().state().depth).toBe(1);
  });

  describe('when neither transport nor spool can keep the event', () => {
    beforeEach(() => {
      fault(transport(), 'publish', () => Promise.reject(new Error('away')));
      fault(spool(), 'append', () => Promise.reject(new Error('disk full')));
    });

    it('answers 503 where the app asks for it', async () => {
      const answer = await client('busy').deliver(approvalXml('A5', 1, TIME));
      expect([answer.status, answer.body]).toEqual([503, 'unavailable']);
    });

    it('resets the connection where the app asks for it', async () => {
      await expect(client('reset').deliver(approvalXml('A6', 1, TIME))).rejects.toThrow();
    });

    it('hangs past the deadline by default, then gives up', async () => {
      const begun = performance.now();
      await expect(client('hang').deliver(approvalXml('A7', 1, TIME), { timeoutMs: 10_000 })).rejects.toThrow();
      expect(performance.now() - begun).toBeGreaterThan(1_400);
    });

    it('takes the same event once everything is back', async () => {
      await client('busy').deliver(approvalXml('A8', 1, TIME));
      delete (transport() as Partial<Transport>).publish;
      delete (spool() as Partial<Spool>).append;
      // The claim of the failed delivery still stands; its retry publishes a copy of its own.
      expect((await client('busy').deliver(approvalXml('A8', 1, TIME))).body).toBe('success');
      await until(async () => (await statuses()).length === 1);
      expect(await statuses()).toEqual(['APPLIED']);
    });
  });

  it('never answers success on a mere claim: the second delivery publishes its own copy', async () => {
    let held = 0;
    const publish = transport().publish.bind(transport());
    const heal = fault(transport(), 'publish', (topic: string, messages: never[]) => {
      held += 1;
      return held === 1 ? new Promise(() => undefined) : publish(topic, messages);
    });
    const first = client('busy').deliver(approvalXml('A9', 1, TIME));
    await until(() => held === 1);
    const second = await client('busy').deliver(approvalXml('A9', 1, TIME));
    expect(second.body).toBe('success');
    expect(held).toBe(2);
    heal();
    expect((await first).body).toBe('success');
    await until(() => gateway.isSettled());
    expect(await statuses()).toEqual(['APPLIED']);
  });

  it('takes both key pairs while they are rotated', async () => {
    const next = { token: 'tokenTwo', encodingAESKey: NEXT_KEY, receiveId: 'wwtest' };
    expect((await client('rotating').deliver(messageXml('1', 'old', TIME))).body).toBe('success');
    expect((await client('rotating', next).deliver(messageXml('2', 'new', TIME))).body).toBe('success');
    expect((await client('rotating', next).verify('12345')).body).toBe('12345');
    // The token of one pair with the key of the other is nobody's.
    expect(
      (await client('rotating', { ...next, encodingAESKey: KEY }).deliver(messageXml('3', 'x', TIME))).status,
    ).toBe(403);
  });

  it('takes JSON envelopes with an empty receive id', async () => {
    const text = JSON.stringify({
      msgid: 'm1',
      aibotid: 'b',
      chattype: 'single',
      from: { userid: 'u' },
      msgtype: 'text',
      text: { content: 'hi' },
    });
    expect((await client('bot').deliver(text)).body).toBe('success');
    await until(async () => (await statuses()).length === 1);
    const { json } = await gateway.admin('events');
    expect([json.items[0].eventType, json.items[0].msgId]).toEqual(['text', 'm1']);
  });

  it('keeps a text that does not parse as a dead letter', async () => {
    expect((await client('busy').deliver('<xml><a>never closed')).body).toBe('success');
    await until(async () => (await statuses()).length === 1);
    const { json } = await gateway.admin('dead-letters');
    expect(json.items[0]).toMatchObject({ eventType: 'unparsed', status: 'DEAD', errorCode: 'EVENT_UNPARSED' });
  });

  it('injects a data source that can only read: a second writer would undo commits that it knows nothing of', async () => {
    const injected = gateway.gateway.app.get<DataSource>(getDataSourceToken(), { strict: false });
    expect(await injected.query('SELECT COUNT(*) AS total FROM event_log')).toEqual([{ total: 0 }]);
    await expect(injected.query('DELETE FROM event_log')).rejects.toThrow(/readonly/);
  });

  it.each([undefined, 'text/xml', 'application/json', 'no media type'])(
    'answers 404 beside the callbacks, sent as %s',
    async (type) => {
      const answer = await fetch(`${gateway.callbackBase}/wecom/callbacks/crm/extra`, {
        method: 'POST',
        body: '<xml/>',
        headers: { connection: 'close', ...(type === undefined ? {} : { 'content-type': type }) },
      });
      expect(answer.status).toBe(404);
    },
  );

  it('has the admin API on its own port only, and the callbacks on theirs', async () => {
    const elsewhere = await fetch(`${gateway.callbackBase}/admin/api/v1/summary`, { headers: { connection: 'close' } });
    expect(elsewhere.status).toBe(404);
    const callback = await fetch(`${gateway.adminBase}/wecom/callbacks/busy`, { headers: { connection: 'close' } });
    expect(callback.status).toBe(404);
    expect((await gateway.admin('summary', undefined, 'wrong-token-wrong-token')).status).toBe(401);
    for (const base of [gateway.callbackBase, gateway.adminBase]) {
      expect((await fetch(`${base}/health/live`, { headers: { connection: 'close' } })).status).toBe(200);
    }
  });

  it('gives everything back when it cannot start, so that the next start succeeds', async () => {
    const taken = String(gateway.gateway.port);
    const env = { WECOM_APPS_FILE: join(folder, 'apps.json'), DATA_DIR: join(folder, 'data') };
    await expect(GatewayInProcess.start({ ...env, PORT: taken })).rejects.toThrow(/EADDRINUSE/);
    const second = await GatewayInProcess.start(env);
    await second.stop();
  });
});

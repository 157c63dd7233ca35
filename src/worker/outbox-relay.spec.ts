import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Command } from '../saga/state-machine.js';
import { thingXml, WorkerRig, type RigOptions } from '../../test/support/worker-rig.js';

interface Received {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

let rig: WorkerRig;
let server: Server;
let base: string;
let received: Received[];
let answer: number;

beforeEach(async () => {
  [received, answer] = [[], 200];
  server = createServer((request, response) => {
    let body = '';
    request.on('data', (chunk: Buffer) => (body += chunk.toString()));
    request.on('end', () => {
      received.push({ path: request.url ?? '', headers: request.headers, body });
      response.writeHead(answer, answer === 302 ? { location: `${base}/elsewhere` } : {}).end('ok');
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  await rig.close();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const post = (path: string, more: Partial<Command> = {}): Command =>
  ({ kind: 'http', name: path.slice(1), url: `${base}${path}`, body: '{"a":1}', ...more }) as Command;

/** An applied event whose handler asks for the commands. */
async function openWith(commands: readonly Command[], options: RigOptions = {}): Promise<string> {
  rig = await WorkerRig.open({
    ...options,
    handlers: { latest_thing: async ({ outbox }) => commands.forEach((command) => outbox.add(command)) },
  });
  const delivery = rig.delivery(thingXml('latest_thing', 'a', 1));
  await rig.consume(delivery);
  return delivery.eventKey;
}

describe('commands of an event', () => {
  it('are delivered after the commit, each with its own Idempotency-Key, and are gone then', async () => {
    const key = await openWith([post('/one', { headers: { 'x-trace': 't' } }), post('/two')]);
    expect(received).toEqual([]);
    expect(await rig.count('outbox')).toBe(2);
    await rig.relay.pass();
    const byPath = [...received].sort((a, b) => (a.path < b.path ? -1 : 1));
    expect(
      byPath.map(({ path, body, headers }) => [path, body, headers['idempotency-key'], headers['x-trace']]),
    ).toEqual([
      ['/one', '{"a":1}', `${key}:0`, 't'],
      ['/two', '{"a":1}', `${key}:1`, undefined],
    ]);
    expect(await rig.count('outbox')).toBe(0);
    await rig.relay.pass();
    expect(received).toHaveLength(2);
  });

  it('are not kept when the event rolls back', async () => {
    rig = await WorkerRig.open({
      handlers: {
        latest_thing: ({ outbox }) => {
          outbox.add(post('/one'));
          return Promise.reject(new Error('no'));
        },
      },
    });
    await rig.consume(rig.delivery(thingXml('latest_thing', 'a', 1)));
    expect(await rig.count('outbox')).toBe(0);
  });

  it('go to a topic too', async () => {
    await openWith([{ kind: 'topic', name: 'told', topic: 'orders', key: 'k', body: 'b' }]);
    await rig.relay.pass();
    expect(rig.transport.published).toEqual([{ topic: 'orders', orderingKey: 'k', body: 'b' }]);
  });

  it.each([500, 404, 302])('are tried again, later each time, when the other side answers %i', async (status) => {
    answer = status;
    const key = await openWith([post('/one')]);
    await rig.relay.pass();
    await rig.relay.pass();
    expect(received).toHaveLength(1);
    await rig.clock.advance(1_000);
    await rig.relay.pass();
    await rig.clock.advance(1_000);
    await rig.relay.pass();
    expect(received).toHaveLength(2);
    answer = 200;
    await rig.clock.advance(1_000);
    await rig.relay.pass();
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual([`${key}:0`, `${key}:0`, `${key}:0`]);
    expect(await rig.count('outbox')).toBe(0);
  });

  it('are delivered again after a crash between the delivery and its note: at least once, under one key', async () => {
    const key = await openWith([post('/one')]);
    rig.writes.failCommit('outbox.delivered', 'unavailable');
    await expect(rig.relay.pass()).rejects.toMatchObject({ code: 'DATABASE_UNAVAILABLE' });
    await rig.relay.pass();
    // Hidden for as long as a delivery may take.
    expect(received).toHaveLength(1);
    await rig.clock.advance(2 * rig.options.outboxTimeoutMs);
    await rig.relay.pass();
    expect(received.map(({ headers }) => headers['idempotency-key'])).toEqual([`${key}:0`, `${key}:0`]);
    expect(await rig.count('outbox')).toBe(0);
  });
});

describe('a command that is never accepted', () => {
  it('is dead after its deliveries, stays to be seen, and its compensation is sent instead', async () => {
    answer = 500;
    const key = await openWith([post('/book', { compensation: post('/cancel') })]);
    for (let delivery = 0; delivery < 3; delivery += 1) {
      await rig.relay.pass();
      await rig.clock.advance(10_000);
    }
    expect(received.map(({ path }) => path)).toEqual(['/book', '/book', '/book']);
    const rows = await rig.database.query(
      'SELECT idempotency_key, status, attempt, error_message FROM outbox ORDER BY id',
    );
    expect(rows).toEqual([
      { idempotency_key: `${key}:0`, status: 'DEAD', attempt: 3, error_message: 'answered 500' },
      { idempotency_key: `${key}:0:compensation`, status: 'PENDING', attempt: 0, error_message: null },
    ]);
    answer = 200;
    await rig.relay.pass();
    await rig.clock.advance(600_000);
    await rig.relay.pass();
    expect(received.map(({ path }) => path).slice(3)).toEqual(['/cancel']);
    expect(received.at(-1)?.headers['idempotency-key']).toBe(`${key}:0:compensation`);
    expect(await rig.count('outbox')).toBe(1);
  });

  it('but a copy for the dead-letter topic never dies', async () => {
    rig = await WorkerRig.open();
    await rig.consume(rig.foreign('{'));
    rig.transport.isAway = true;
    for (let delivery = 0; delivery < 10; delivery += 1) {
      await rig.relay.pass();
      await rig.clock.advance(600_000);
    }
    rig.transport.isAway = false;
    await rig.relay.pass();
    expect(rig.transport.published).toHaveLength(1);
  });
});

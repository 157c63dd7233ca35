import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DataSource } from 'typeorm';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { connectionOf } from '../../src/database/sqlite/sqlite-driver.js';
import { WRITER } from '../../src/database/connection-tokens.js';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import { EventLog } from '../../src/event-log/event-log.js';
import { HandlerRegistry } from '../../src/handlers/handler-registry.js';
import { IdempotencyStore } from '../../src/idempotency/idempotency-store.js';
import type { SqliteTransport } from '../../src/transport/sqlite/sqlite-transport.js';
import { Transport } from '../../src/transport/transport.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { openSharedTransport, RoleInProcess, type RoleOptions } from '../support/role-in-process.js';
import { approvalXml } from '../support/texts.js';
import { until } from '../support/until.js';
import { WecomClient } from '../support/wecom-client.js';

const TIME = 1_796_000_400;
const CRM = {
  token: 'tokenOne',
  encodingAESKey: 'jWmYm7qr5nMoAUwZRjGtBxmz3KA1tkAj3ykkR6q2B2C',
  receiveId: 'wwtest',
};
const EVENTS = ['wecom.events', 'wecom.workers'] as const;

let folder: string;
let shared: SqliteTransport;
let running: RoleInProcess[];
let clients: WecomClient[];

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'wecom-roles-'));
  shared = openSharedTransport(folder);
  [running, clients] = [[], []];
});

afterEach(async () => {
  for (const client of clients) client.close();
  for (const role of running) await role.stop();
  await shared.close();
  await rm(folder, { recursive: true, force: true });
});

async function start(role: 'gateway' | 'worker' | 'admin', options: Partial<RoleOptions> = {}): Promise<RoleInProcess> {
  const one = await RoleInProcess.start(role, shared, { dataDir: join(folder, role), apps: { crm: CRM }, ...options });
  running.push(one);
  return one;
}

async function stop(role: RoleInProcess): Promise<void> {
  running = running.filter((one) => one !== role);
  await role.stop();
}

function clientOf(gateway: RoleInProcess): WecomClient {
  const client = new WecomClient(gateway.callbackBase, 'crm', CRM);
  clients.push(client);
  return client;
}

async function unsettled(): Promise<number | null> {
  return (await shared.backlog(...EVENTS)).unsettled;
}

describe('a gateway', () => {
  it('takes callbacks onto the transport without any database, and makes no file of one', async () => {
    const gateway = await start('gateway');
    expect((await clientOf(gateway).deliver(approvalXml('A1', 1, TIME))).body).toBe('success');
    expect(await unsettled()).toBe(1);
    for (const token of [DataSource, UnitOfWork, EventLog, HandlerRegistry]) expect(gateway.find(token)).toBeNull();
    // What it has to have is found in the same way.
    for (const token of [Transport, IdempotencyStore]) expect(gateway.find(token)).not.toBeNull();
    const files = (await readdir(join(folder, 'gateway'), { recursive: true })).filter(
      (name) => !name.includes('spool'),
    );
    expect(files.filter((name) => name.endsWith('.sqlite'))).toEqual([]);
  });

  it('answers health on both ports, metrics on one, and has no admin API', async () => {
    const gateway = await start('gateway');
    for (const base of [gateway.adminBase, gateway.callbackBase]) {
      for (const path of ['/health', '/health/live', '/health/ready'])
        expect((await gateway.get(path, base)).status).toBe(200);
    }
    expect(Object.keys((await gateway.ready()).parts)).not.toContain('database');
    expect((await gateway.get('/metrics')).text).toContain('wecom_callbacks_total');
    expect((await gateway.get('/metrics', gateway.callbackBase)).status).toBe(404);
    expect((await gateway.get('/admin/api/v1/summary')).status).toBe(404);
  });

  it('stays ready while the transport is away, keeps the events in its spool, and brings them there later', async () => {
    const gateway = await start('gateway');
    const client = clientOf(gateway);
    gateway.transport.isAway = true;
    expect((await client.deliver(approvalXml('A1', 1, TIME))).body).toBe('success');
    expect(await unsettled()).toBe(0);
    await until(async () => (await gateway.ready()).parts['spool']?.status === 'degraded');
    expect((await gateway.ready()).status).toBe(200);
    gateway.transport.isAway = false;
    await until(async () => (await unsettled()) === 1);
    await until(async () => (await gateway.ready()).parts['spool']?.status === 'up');
  });

  it('is not ready when neither transport nor spool takes an event', async () => {
    const gateway = await start('gateway', { env: { SPOOL_BYTES_MAX: '1048576', NACK_MODE: '503' } });
    const client = clientOf(gateway);
    gateway.transport.isAway = true;
    const filler = `<Filler>${'x'.repeat(400_000)}</Filler></xml>`;
    let status = 200;
    for (let event = 0; status === 200 && event < 20; event += 1) {
      ({ status } = await client.deliver(approvalXml(`A${event}`, 1, TIME).replace('</xml>', filler)));
    }
    expect(status).toBe(503);
    await until(async () => (await gateway.ready()).status === 503);
    expect((await gateway.get('/health/live')).status).toBe(200);
  });
});

describe('a worker', () => {
  it('applies what a gateway took, and opens no port for callbacks', async () => {
    const [gateway, worker] = [await start('gateway'), await start('worker')];
    expect(worker.port).toBeNull();
    await clientOf(gateway).deliver(approvalXml('A1', 1, TIME));
    await until(async () => (await worker.get('/metrics')).text.includes('status="APPLIED"} 1'));
    expect(await unsettled()).toBe(0);
    expect((await worker.get('/wecom/callbacks/crm')).status).toBe(404);
    expect((await worker.get('/admin/api/v1/summary')).status).toBe(404);
    expect(Object.keys((await worker.ready()).parts).sort()).toEqual(['database', 'guard']);
  });

  it('finds at its start what gateways took while there was none', async () => {
    const gateway = await start('gateway');
    const client = clientOf(gateway);
    for (let event = 0; event < 5; event += 1) await client.deliver(approvalXml(`A${event}`, 1, TIME));
    await stop(gateway);
    const worker = await start('worker');
    await until(async () => (await worker.get('/metrics')).text.includes('status="APPLIED"} 5'));
  });

  it('is not ready while its database refuses, and ready again by itself', async () => {
    const [gateway, worker] = [await start('gateway'), await start('worker')];
    const connection = connectionOf(worker.find<DataSource>(WRITER)!);
    connection.exec('PRAGMA query_only = ON');
    expect((await clientOf(gateway).deliver(approvalXml('A1', 1, TIME))).body).toBe('success');
    await until(async () => (await worker.ready()).status === 503);
    expect((await worker.get('/health/ready')).status).toBe(503);
    expect((await gateway.ready()).status).toBe(200);
    connection.exec('PRAGMA query_only = OFF');
    await until(async () => (await worker.ready()).status === 200);
    await until(async () => (await worker.get('/metrics')).text.includes('status="APPLIED"} 1'));
  });
});

describe('an admin', () => {
  it('shows and redrives what a worker left, consumes nothing, and runs nothing by itself', async () => {
    const gateway = await start('gateway');
    const worker = await start('worker');
    await clientOf(gateway).deliver('no xml at all');
    await until(async () => (await unsettled()) === 0);
    await stop(worker);

    const admin = await start('admin', { dataDir: join(folder, 'worker') });
    expect(admin.port).toBeNull();
    await clientOf(gateway).deliver(approvalXml('A2', 1, TIME));
    const [item] = (await admin.admin('dead-letters')).items;
    const click = { items: [{ id: item.id, generation: 0 }] };
    expect((await admin.admin('dead-letters/redrive', click)).items[0].result).toBe('redriven');
    const summary = await admin.admin('summary');
    expect(summary).toMatchObject({ backlog: { events: null, deadLetters: null }, spool: null });
    expect(summary.statuses.REDRIVEN).toBe(1);
    expect(await unsettled()).toBe(1);
    expect((await admin.get('/wecom/callbacks/crm')).status).toBe(404);
    expect(Object.keys((await admin.ready()).parts)).toEqual(['database']);
    for (const token of [Transport, IdempotencyStore]) expect(admin.find(token)).toBeNull();
    await stop(admin);

    // What it asked for is done by the next worker: from the row, with a fresh budget.
    const next = await start('worker');
    await until(async () => (await next.get('/metrics')).text.includes('event_type="unparsed",status="DEAD"} 1'));
    await until(async () => (await unsettled()) === 0);
  });
});

describe('a process as npm start runs it', () => {
  let dataDir: string;
  let process: GatewayProcess | null;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'wecom-role-'));
    process = null;
  });

  afterEach(async () => {
    await process?.kill();
    await rm(dataDir, { recursive: true, force: true });
  });

  it.each(['gateway', 'worker'])('refuses to be a %s whose queue nobody else can read, and says why', async (role) => {
    process = GatewayProcess.spawn(dataDir, { ROLE: role });
    await until(() => process?.child.exitCode !== null, 60_000);
    expect(process.child.exitCode).toBe(1);
    expect(process.raw).toContain('another process cannot read the queue');
    expect(existsSync(join(dataDir, 'wecom.sqlite'))).toBe(false);
  });

  it('is an admin on the data of a service that has been stopped, and is refused before', async () => {
    const service = await GatewayProcess.start(dataDir);
    const refused = GatewayProcess.spawn(dataDir, { ROLE: 'admin' });
    await until(() => refused.child.exitCode !== null, 60_000);
    expect(refused.raw).toContain(`in use by process ${service.child.pid}`);
    await service.stop();

    process = await GatewayProcess.start(dataDir, { ROLE: 'admin' });
    expect(process.lineOf('service.started')).toMatchObject({
      role: 'admin',
      message: expect.stringContaining('admin API'),
    });
    expect(process.lineOf('config.warned')?.['warning']).toContain('STORE=sqlite');
    expect(process.lineOf('app.ready')).toBeUndefined();
    expect((await process.admin('summary')).json).toMatchObject({ statuses: {}, backlog: { events: null } });
    expect(await process.stop()).toBe(0);
  });
});

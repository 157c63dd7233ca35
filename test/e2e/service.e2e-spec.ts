import { stat } from 'node:fs/promises';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { GatewayProcess } from '../support/gateway-process.js';
import { approvalXml, messageXml, taskXml } from '../support/texts.js';
import { until } from '../support/until.js';
import { WecomClient } from '../support/wecom-client.js';

const TIME = 1_796_000_400;

describe('the service as npm start runs it', () => {
  let dataDir: string;
  let gateway: GatewayProcess;
  let client: WecomClient;

  beforeEach(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'wecom-service-'));
    gateway = await GatewayProcess.start(dataDir, { LOG_LEVEL: 'debug', RETRY_DELAYS: '50,50,50' });
    client = new WecomClient(gateway.callbackBase, 'demo', gateway.demo);
  });

  afterEach(async () => {
    client.close();
    await gateway.kill();
    await rm(dataDir, { recursive: true, force: true });
  });

  it('says where to point WeCom, keeps its secrets to the owner, and to itself', async () => {
    await client.deliver(approvalXml('SECRET-SP-1', 1, TIME));
    await client.deliver(messageXml('77', 'a personal text', TIME));
    await client.post(
      { msg_signature: 'f'.repeat(40), timestamp: '1', nonce: '2' },
      '<xml><Encrypt>c2VjcmV0</Encrypt></xml>',
    );
    await client.verify('123456');
    await until(async () => (await gateway.admin('events')).json.items.length === 2);
    expect(String(gateway.lineOf('app.ready')?.['url'])).toContain('/wecom/callbacks/demo');
    expect(gateway.lineOf('callback.refused')).toMatchObject({ app: 'demo', code: 'WECOM_SIGNATURE_INVALID' });
    const all = JSON.stringify(gateway.lines) + gateway.raw;
    const { token, encodingAESKey } = gateway.demo;
    for (const secret of [
      token,
      encodingAESKey,
      'a personal text',
      'SECRET-SP-1',
      'c2VjcmV0',
      'msg_signature',
      'ffffffff',
    ]) {
      expect(all).not.toContain(secret);
    }
    for (const name of ['demo.json', 'admin-token']) {
      expect((await stat(join(dataDir, name))).mode & 0o777).toBe(0o600);
    }
  });

  it('refuses a second start on the same data and names the process that holds it', async () => {
    const second = GatewayProcess.spawn(dataDir);
    await until(() => second.child.exitCode !== null, 60_000);
    expect(second.child.exitCode).toBe(1);
    expect(second.raw).toContain(`process ${gateway.child.pid}`);
    await client.deliver(approvalXml('A1', 1, TIME));
  });

  it('ends with code 0 on SIGTERM and goes on where it was', async () => {
    const deliveries = Array.from({ length: 50 }, (_, n) =>
      client.deliver(approvalXml(`A${n}`, 1, TIME)).catch(() => null),
    );
    const stopped = gateway.stop();
    const answered = (await Promise.all(deliveries)).filter((answer) => answer?.body === 'success').length;
    expect(await stopped).toBe(0);
    gateway = await GatewayProcess.start(dataDir);
    await until(async () => (await gateway.admin('summary')).json.backlog.events === 0);
    const { json } = await gateway.admin('events?limit=1000');
    expect(json.items.length).toBeGreaterThanOrEqual(answered);
  });

  it('retries what fails, gives up what cannot work, and has a person decide', async () => {
    await client.deliver(taskXml('flaky', TIME, { failTimes: 2 }));
    await client.deliver(taskXml('fatal', TIME, { fatal: true }));
    await until(async () => {
      const { json } = await gateway.admin('events');
      return json.items.map(({ status }: { status: string }) => status).join() === 'DEAD,APPLIED';
    });
    const { json: found } = await gateway.admin('dead-letters');
    const [dead] = found.items;
    expect(dead).toMatchObject({ errorCode: 'DEMO_FATAL', generation: 0, status: 'DEAD' });
    const click = { items: [{ id: dead.id, generation: 0 }] };
    const clicks = await Promise.all([
      gateway.admin('dead-letters/redrive', click),
      gateway.admin('dead-letters/redrive', click),
    ]);
    expect(clicks.map(({ json }) => json.items[0].result).sort()).toEqual(['changed-meanwhile', 'redriven']);
    await until(
      async () =>
        (await gateway.admin(`events/${dead.id}`)).json.generation === 1 &&
        (await gateway.admin(`events/${dead.id}`)).json.status === 'DEAD',
    );
    const discarded = await gateway.admin('dead-letters/discard', {
      items: [
        { id: dead.id, generation: 1 },
        { id: 999_999, generation: 0 },
      ],
    });
    expect(discarded.json.items.map(({ result }: { result: string }) => result)).toEqual(['discarded', 'not-found']);
    const { json: history } = await gateway.admin(`events/${dead.id}/history`);
    expect(history.items.map(({ decision }: { decision: string }) => decision)).toEqual([
      'DEAD',
      'REDRIVEN',
      'DEAD',
      'DISCARDED',
    ]);
    expect(history.items[1].actor).toBe('admin');
    const { json: flaky } = await gateway.admin('events?eventType=demo_task&status=APPLIED');
    expect(flaky.items[0].attempt).toBe(3);
  });

  it('tells health and metrics', async () => {
    const ready = await fetch(`${gateway.adminBase}/health/ready`, { headers: { connection: 'close' } });
    const body = (await ready.json()) as { details: Record<string, { status: string }> };
    expect(ready.status).toBe(200);
    expect(Object.keys(body.details).sort()).toEqual(['database', 'guard', 'spool', 'transport']);
    await client.deliver(approvalXml('M1', 1, TIME));
    await until(async () => {
      const metrics = await (await fetch(`${gateway.adminBase}/metrics`, { headers: { connection: 'close' } })).text();
      return (
        /wecom_callbacks_total\{app="demo",answer="published"\} 1/.test(metrics) &&
        metrics.includes('status="APPLIED"} 1') &&
        // The process's own, which an alert on memory or a blocked event loop needs.
        /^process_resident_memory_bytes \d+/m.test(metrics) &&
        metrics.includes('nodejs_eventloop_lag_p99_seconds')
      );
    });
  });
});

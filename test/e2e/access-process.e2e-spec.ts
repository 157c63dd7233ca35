import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { AdminBrowser } from '../support/admin-browser.js';
import { GatewayProcess } from '../support/gateway-process.js';

const PASSWORD = 'correct horse battery';
const dataDir = mkdtempSync(join(tmpdir(), 'wecom-access-'));
const started: GatewayProcess[] = [];

afterAll(async () => {
  for (const service of started) await service.kill();
  rmSync(dataDir, { recursive: true, force: true });
});

async function admin(): Promise<{ service: GatewayProcess; visitor: AdminBrowser; link: string | null }> {
  // The link is for whoever reads the log, however little is logged.
  const env = { ROLE: 'admin', LOG_LEVEL: 'info' };
  const service = await GatewayProcess.start(dataDir, env);
  started.push(service);
  const link = service.lineOf('setup.needed')?.['url'];
  return { service, visitor: new AdminBrowser(service.adminBase), link: typeof link === 'string' ? link : null };
}

it('an admin process prints a link for the first administrator, which works once, until there is one', async () => {
  const first = await admin();
  const [base, unused = ''] = (first.link ?? '').split('#token=');
  expect(base).toBe(`${first.service.adminBase}/console/setup`);
  expect(unused).toMatch(/^[\w-]{43}$/);
  await first.service.stop();

  const second = await admin();
  const [, token = ''] = (second.link ?? '').split('#token=');
  expect(token).not.toBe(unused);
  const { visitor } = second;
  const nobody = await visitor.call('GET', 'session');
  expect([nobody.status, nobody.json.setupNeeded]).toEqual([401, true]);
  const make = (given: string, password = PASSWORD) =>
    visitor.call('POST', 'setup', { token: given, name: 'anna', password });
  expect((await make('x'.repeat(43))).status).toBe(403);
  expect((await make(token, 'short')).status).toBe(400);
  const made = await make(token);
  expect([made.status, made.json.user]).toEqual([200, { name: 'anna', role: 'admin', permissions: [] }]);
  for (const used of [token, unused]) expect((await make(used)).status).toBe(403);
  expect((await visitor.call('GET', 'users')).json.items).toHaveLength(1);
  const cookie = visitor.cookie;
  expect(await second.service.stop()).toBe(0);

  const third = await admin();
  expect(third.link).toBeNull();
  const later = await third.visitor.call('GET', 'session');
  expect([later.status, later.json.setupNeeded]).toEqual([401, false]);
  third.visitor.cookie = cookie;
  expect((await third.visitor.call('GET', 'users')).status).toBe(200);
  await third.service.stop();

  // Nothing that lets anybody in is in the log, the links apart.
  const log = started.flatMap(({ lines }) => lines.filter(({ event }) => event !== 'setup.needed'));
  const text = JSON.stringify(log) + started.map(({ raw }) => raw).join('');
  for (const secret of [token, unused, PASSWORD, cookie.split('=')[1] ?? '']) expect(text).not.toContain(secret);
});

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CliProcess, runCli, type CliResult } from '../support/cli-run.js';
import { freePort } from '../support/free-port.js';
import { GatewayProcess } from '../support/gateway-process.js';
import { envelopeOf, queryString, seal } from '../support/sealer.js';
import { approvalXml, groupXml, taskXml } from '../support/texts.js';
import { until } from '../support/until.js';
import { WecomClient } from '../support/wecom-client.js';

const TIME = 1_796_000_400;
/** As WeCom's ids are at their worst. */
const CHAT_ID = 'wrOgQ+DgAA/MYQ=c5==';

describe('the command line against a running service', () => {
  let dataDir: string;
  let gateway: GatewayProcess;
  let client: WecomClient;
  let env: Record<string, string>;

  beforeAll(async () => {
    dataDir = await mkdtemp(join(tmpdir(), 'wecom-cli-'));
    gateway = await GatewayProcess.start(dataDir, { RETRY_DELAYS: '50,50,50' });
    client = new WecomClient(gateway.callbackBase, 'demo', gateway.demo);
    env = { DATA_DIR: dataDir, ADMIN_URL: gateway.adminBase };
    await client.deliver(groupXml('create', CHAT_ID, TIME));
    await client.deliver(approvalXml('202612010001', 1, TIME));
    for (const id of ['one', 'two', 'three']) await client.deliver(taskXml(id, TIME, { fatal: true }));
    await until(async () => (await gateway.admin('summary')).json.statuses.DEAD === 3);
    await until(async () => (await gateway.admin('summary')).json.statuses.APPLIED >= 1);
  });

  afterAll(async () => {
    client.close();
    await gateway.kill();
    await rm(dataDir, { recursive: true, force: true });
  });

  const jsonOf = ({ stdout }: CliResult): any => JSON.parse(stdout);

  it('checks the settings that the service runs with', async () => {
    const checked = await runCli(['check', '--connect', '--json'], { DATA_DIR: dataDir });
    expect(checked.code, checked.stderr).toBe(0);
    expect(jsonOf(checked)).toMatchObject({ ok: true, faults: [], parts: { data: [dataDir] } });
    expect(jsonOf(checked).engines.map(({ part, result }: any) => `${part} ${result}`)).toEqual([
      'data ok',
      'database ok',
      'transport ok',
      'guard ok',
    ]);
    const { token, encodingAESKey } = gateway.demo;
    for (const secret of [token, encodingAESKey, (await readFile(join(dataDir, 'admin-token'), 'utf8')).trim()])
      expect(checked.stdout + checked.stderr).not.toContain(secret);
  });

  it('verifies its URL as WeCom would', async () => {
    const url = `${gateway.callbackBase}/wecom/callbacks/demo`;
    const verified = await runCli(['verify', url, '--json'], env);
    expect(verified.code, verified.stdout).toBe(0);
    expect(jsonOf(verified)).toMatchObject({ ok: true, app: 'demo', pairs: [{ pair: 'current', findings: [] }] });
  });

  it('says of a URL with other keys that they differ, and of a wrong path that nobody has it', async () => {
    const apps = join(dataDir, 'other.json');
    await writeFile(apps, JSON.stringify({ demo: { ...gateway.demo, token: 'another' }, ghost: gateway.demo }));
    const url = `${gateway.callbackBase}/wecom/callbacks`;
    const other = await runCli(['verify', `${url}/demo`, '--apps', apps], env);
    expect(other.code).toBe(1);
    expect(other.stdout).toContain('refused: token, encodingAESKey or receiveId (wrong corp id) of app demo');
    const ghost = await runCli(['verify', `${url}/ghost`, '--apps', apps], env);
    expect([ghost.code, ghost.stdout]).toEqual([1, expect.stringContaining('not-found')]);
  });

  it('decrypts what the service took, under the key by which the service knows the event', async () => {
    const text = approvalXml('202612010001', 1, TIME);
    const { encrypt, query } = seal(gateway.demo, text);
    const body = envelopeOf(gateway.demo, encrypt);
    const opened = await runCli(['decrypt', '--json', '--query', queryString(query)], env, body);
    expect(opened.code, opened.stderr).toBe(0);
    expect(jsonOf(opened)).toMatchObject({ signature: 'right', keyPair: 'current', plaintext: text });
    const found = await runCli(['find', '--event-key', jsonOf(opened).eventKey, '--json'], env);
    expect(jsonOf(found).items).toHaveLength(1);
  });

  it('finds an event by an id with slashes, plus and equals signs, and tells its history', async () => {
    const found = await runCli(['find', '--chat-id', CHAT_ID, '--history', '--json'], env);
    expect(found.code, found.stderr).toBe(0);
    expect(jsonOf(found)).toMatchObject({
      isComplete: true,
      items: [{ eventType: 'change_external_chat', status: 'APPLIED', history: [{ decision: 'APPLIED' }] }],
    });
    const { id, entityKey } = jsonOf(found).items[0];
    const byId = await runCli(['find', '--id', String(id)], env);
    expect(byId.stdout).toContain(entityKey);
    // What a person said is not shown on the way.
    expect(JSON.stringify(jsonOf(await runCli(['find', '--id', String(id), '--json'], env)))).not.toContain('<xml>');
  });

  it('ends with 1 when nothing is found, and tells when there is more', async () => {
    const none = await runCli(['find', '--sp-no', 'nobody', '--json'], env);
    expect([none.code, jsonOf(none)]).toEqual([1, { items: [], isComplete: true }]);
    const some = await runCli(['find', '--limit', '2'], env);
    expect(some.code).toBe(0);
    expect(some.stdout.trim().split('\n')).toHaveLength(3);
    expect(some.stderr).toContain('more match');
  });

  it('forecasts, redrives and reports what became of each, not that it ran', async () => {
    const dry = await runCli(['redrive', '--error-code', 'DEMO_FATAL', '--dry-run', '--json'], env);
    expect(dry.code, dry.stderr).toBe(0);
    expect(jsonOf(dry).job).toMatchObject({ status: 'DRAFT', total: 3, forecasts: { 'would-apply': 3 } });
    expect((await gateway.admin('summary')).json.statuses.DEAD).toBe(3);

    const { id } = jsonOf(dry).job;
    const done = await runCli(['redrive', '--job', String(id), '--start', '--json'], env);
    // They die again: the job did what it should, and the events did not.
    expect(done.code).toBe(1);
    expect(jsonOf(done)).toMatchObject({
      job: { status: 'DONE', results: { redriven: 3 } },
      outcomes: { statuses: { DEAD: 3 } },
      odd: { isComplete: true },
    });
    expect(jsonOf(done).odd.items.map(({ result, status }: any) => `${result} ${status}`)).toEqual(
      Array(3).fill('redriven DEAD'),
    );
  });

  it('discards only when told so, with a reason, and says of an unknown id that it is not found', async () => {
    const { items } = jsonOf(await runCli(['find', '--status', 'DEAD', '--json'], env));
    const [{ id }] = items;
    const asked = await runCli(['discard', String(id), '--reason', 'a test'], env);
    expect([asked.code, asked.stderr]).toEqual([2, expect.stringContaining('--yes')]);
    expect((await gateway.admin(`events/${id}`)).json.status).toBe('DEAD');

    const done = await runCli(['discard', String(id), '999999', '--yes', '--reason', 'a test', '--json'], env);
    expect(done.code).toBe(1);
    expect(jsonOf(done).job.results).toEqual({ discarded: 1, 'not-found': 1 });
    expect((await gateway.admin(`events/${id}`)).json.status).toBe('DISCARDED');
    const { json } = await gateway.admin(`audit?target=event:${id}&action=discard`);
    expect(json.items[0].detail.reason).toContain('a test');
  });

  it('lists handlers, pauses one with a reason, and resumes it', async () => {
    const handler = 'ApprovalHandler';
    const paused = await runCli(['pause', handler, '--reason', 'it pays twice', '--json'], env);
    expect(paused.code, paused.stderr).toBe(0);
    expect(jsonOf(paused)).toMatchObject({ handler, pause: { reason: 'it pays twice', actor: 'admin' } });
    await client.deliver(approvalXml('202612010002', 1, TIME));
    await until(async () => (await gateway.admin('handlers')).json.paused[0]?.waiting === 1);

    const listed = await runCli(['handlers'], env);
    expect([listed.code, listed.stderr]).toEqual([0, expect.stringContaining('received since 20')]);
    expect(listed.stdout).toMatch(/^sys_approval_change +ApprovalHandler +latest +1 +0 +paused +.*RETRY 1/m);
    expect(listed.stdout).toMatch(/^ApprovalHandler +20\d\d-.{14} +admin +1 +it pays twice$/m);
    expect(jsonOf(await runCli(['handlers', '--json'], env)).paused).toMatchObject([{ handler, waiting: 1 }]);
    const again = await runCli(['pause', handler, '--reason', 'I as well'], env);
    expect([again.code, again.stdout]).toEqual([0, expect.stringContaining('it pays twice')]);

    const resumed = await runCli(['resume', handler, '--reason', 'mended'], env);
    expect([resumed.code, resumed.stdout]).toEqual([0, 'ApprovalHandler runs its events\n']);
    const found = await runCli(['find', '--sp-no', '202612010002', '--json'], env);
    await until(async () => (await gateway.admin(`events/${jsonOf(found).items[0].id}`)).json.status === 'APPLIED');
    const { json } = await gateway.admin('audit?target=handler:ApprovalHandler');
    expect(json.items.map(({ detail }: any) => detail.reason)).toEqual(['mended', 'it pays twice']);
  });

  it('says of a handler that does not exist that it does not', async () => {
    for (const move of ['pause', 'resume']) {
      const moved = await runCli([move, 'No/Such', '--reason', 'a test', '--json'], env);
      expect([moved.code, jsonOf(moved)]).toEqual([
        1,
        { ok: false, error: { code: 'CLI_NOT_SO', message: 'no handler is named No/Such' } },
      ]);
    }
  });

  it('follows decisions as they are made until Ctrl-C', async () => {
    const tail = new CliProcess(['tail', '--json', '--lines', '1', '--interval', '100'], env);
    await until(() => tail.stdout.endsWith('\n'));
    await client.deliver(approvalXml('TAIL-1', 1, TIME));
    await until(() => tail.stdout.includes('TAIL-1'));
    tail.child.kill('SIGINT');
    const { code, stdout } = await tail.ended();
    expect(code).toBe(130);
    const lines = stdout
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    expect(lines).toHaveLength(2);
    expect(lines[1]).toMatchObject({ decision: 'APPLIED', eventType: 'sys_approval_change' });
    expect(lines[1].id).toBeGreaterThan(lines[0].id);
  });

  it('ends quietly when its reader has had enough', async () => {
    const main = resolve(import.meta.dirname, '../../dist/src/cli/main.js');
    const script = `set -o pipefail; "$0" "$1" tail --lines 5 --interval 100 | head -n 1`;
    const shell = spawn('bash', ['--norc', '-c', script, process.execPath, main], {
      env: { PATH: process.env['PATH'], ...env },
    });
    let output = '';
    shell.stdout.on('data', (part: Buffer) => (output += part.toString()));
    let said = '';
    shell.stderr.on('data', (part: Buffer) => (said += part.toString()));
    // A closed pipe shows at the next write.
    const more = setInterval(
      () => void client.deliver(approvalXml(`PIPE-${output.length}-${Math.random()}`, 1, TIME)),
      100,
    );
    const [code] = (await once(shell, 'close')) as [number];
    clearInterval(more);
    expect([code, said]).toEqual([0, '']);
    expect(output.trim().split('\n')).toHaveLength(1);
  });

  it('tells a wrong token from a service that is not there', async () => {
    const wrong = await runCli(['find', '--json'], { ...env, ADMIN_TOKEN: 'not-the-token-of-this-service' });
    expect([wrong.code, jsonOf(wrong)]).toMatchObject([4, { ok: false, error: { code: 'CLI_REFUSED' } }]);
    const away = await runCli(['find', '--json'], { ...env, ADMIN_URL: `http://127.0.0.1:${await freePort()}` });
    expect([away.code, jsonOf(away)]).toMatchObject([3, { ok: false, error: { code: 'CLI_UNREACHABLE' } }]);
    expect(away.stderr).toContain('ECONNREFUSED');
    const notAdmin = await runCli(['find'], { ...env, ADMIN_URL: gateway.callbackBase });
    expect(notAdmin.code).not.toBe(0);
  });

  it('looks at the migrations of the database, and plays WeCom', async () => {
    const status = await runCli(['migrate', '--status', '--json'], env);
    expect([status.code, jsonOf(status)]).toMatchObject([0, { action: 'status', pending: [] }]);
    const flags = [
      '--target',
      gateway.callbackBase,
      '--admin',
      gateway.adminBase,
      '--count',
      '20',
      '--fail-share',
      '0',
    ];
    const played = await runCli(['simulate', ...flags, '--hang-up-share', '0', '--json'], env);
    expect(played.code, played.stderr).toBe(0);
    expect(jsonOf(played)).toMatchObject({ ok: true, events: 20, lost: 0 });
  });
});

describe('the command line alone', () => {
  it('starts the service, and ends with it', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'wecom-cli-start-'));
    const ports = { PORT: '0', ADMIN_PORT: '0', DATA_DIR: dataDir };
    const service = new CliProcess(['start', '--json'], ports);
    try {
      await until(() => service.stdout.includes('"event":"service.started"'), 60_000);
      service.child.kill('SIGTERM');
      expect((await service.ended()).code, service.stderr).toBe(0);
    } finally {
      service.child.kill('SIGKILL');
      await service.ended();
      await rm(dataDir, { recursive: true, force: true });
    }
  });

  it('looks at engines without making anything, and says so of a broker that is not there', async () => {
    const dataDir = join(tmpdir(), `wecom-cli-nothing-${process.pid}`);
    const looked = await runCli(['check', '--connect', '--json'], { DATA_DIR: dataDir });
    expect([looked.code, JSON.parse(looked.stdout).ok]).toEqual([0, true]);
    expect(existsSync(dataDir)).toBe(false);

    const apps = join(await mkdtemp(join(tmpdir(), 'wecom-cli-apps-')), 'apps.json');
    const demo = { token: 'aToken', encodingAESKey: 'abcdefghijklmnopqrstuvwxyz0123456789ABCDEFG', receiveId: 'ww1' };
    await writeFile(apps, JSON.stringify({ crm: demo }));
    const broker = `127.0.0.1:${await freePort()}`;
    const settings = { DATA_DIR: dataDir, WECOM_APPS_FILE: apps, TRANSPORT: 'rocketmq', ROCKETMQ_ENDPOINTS: broker };
    const away = await runCli(['check', '--connect', '--json'], settings);
    expect(away.code, away.stdout + away.stderr).toBe(3);
    const transport = JSON.parse(away.stdout).engines.find(({ part }: any) => part === 'transport');
    expect(transport).toMatchObject({ result: 'unreachable', reason: expect.stringContaining('ECONNREFUSED') });
    await rm(dirname(apps), { recursive: true });
  });

  it('names every fault of the settings, and tries engines no longer than told', async () => {
    const dataDir = join(tmpdir(), 'wecom-cli-none');
    const wrong = await runCli(['check', '--json'], { DATA_DIR: dataDir, PORT: 'x', GUARD: 'redis' });
    expect(wrong.code).toBe(1);
    expect(JSON.parse(wrong.stdout).faults.join('\n')).toMatch(/PORT[\s\S]*REDIS_URL/);

    const mysql = await freePort();
    const begun = performance.now();
    const away = await runCli(['check', '--connect', '--timeout', '1000', '--json'], {
      ...{ DATA_DIR: dataDir, ROLE: 'admin', STORE: 'mysql' },
      DATABASE_URL: `mysql://user:hidden-password@127.0.0.1:${mysql}/wecom`,
    });
    expect(away.code, away.stdout).toBe(3);
    expect(performance.now() - begun).toBeLessThan(15_000);
    expect(away.stdout).not.toContain('hidden-password');
  });
});

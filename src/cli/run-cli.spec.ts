import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import { CliWorld } from '../../test/support/cli-world.js';
import { until } from '../../test/support/until.js';
import { adminToken, adminUrl } from './admin-address.js';
import { StoppedError } from './cli-errors.js';
import { timeOf, timeText } from './option-values.js';
import { printable } from './printable.js';

const SECRET = 'a-secret-of-sixteen';

describe('a call', () => {
  it.each([
    [['find', '--token', SECRET]],
    [['find', `--token=${SECRET}`]],
    [['tail', '--admin-token', SECRET]],
    [['verify', 'http://x', `--encodingAESKey=${SECRET}`]],
    [['simulate', '--password', SECRET]],
  ])('with a secret is refused without showing it: %j', async (args) => {
    const world = new CliWorld();
    expect(await world.run(...args)).toBe(2);
    expect(world.stderr).toContain('no secret on a command line');
    expect(world.stdout + world.stderr).not.toContain(SECRET);
  });

  it.each([
    [[]],
    [['nothing-like-it']],
    [['find', '--limit', '0']],
    [['find', '--from', 'yesterday']],
    [['find', '--from', '2026-12-01T08:00:00']],
    [['find', 'surplus']],
    [['tail', '--admin', 'http://user:pass@host']],
    [['redrive']],
    [['redrive', '1', '--all']],
    [['redrive', '1;DROP']],
    [['redrive', '--start']],
    [['redrive', '--job', '1', '--all']],
    [['discard', '1', '--yes']],
    [['discard', '1', '--reason', 'x']],
    [['discard', '--job', '1', '--start']],
    [['handlers', 'surplus']],
    [['pause']],
    [['pause', 'ApprovalHandler']],
    [['pause', 'ApprovalHandler', '--reason', ' ']],
    [['resume', '--reason', 'mended']],
    [['migrate', '--up']],
  ])('that makes no sense ends with 2 and touches nothing: %j', async (args) => {
    const world = new CliWorld({ ADMIN_TOKEN: SECRET, ADMIN_URL: 'http://127.0.0.1:1' });
    expect(await world.run(...args)).toBe(2);
    expect([world.stdout, world.stderr]).toEqual(['', expect.stringMatching(/./)]);
  });

  it('is answered at once for what only has to be read', async () => {
    const world = new CliWorld();
    expect([await world.run('redrive', '--help'), world.stdout]).toEqual([0, expect.stringContaining('--dry-run')]);
  });
});

describe('the admin address and token', () => {
  it.each([
    [{}, 'http://127.0.0.1:3001'],
    [{ ADMIN_PORT: '4001' }, 'http://127.0.0.1:4001'],
    [{ ADMIN_PORT: '4001', ADMIN_HOST: '0.0.0.0' }, 'http://127.0.0.1:4001'],
    [{ ADMIN_HOST: '::' }, 'http://[::1]:3001'],
    [{ ADMIN_HOST: 'fd00::1' }, 'http://[fd00::1]:3001'],
    [{ ADMIN_URL: 'https://admin.example/wecom/', ADMIN_PORT: '1' }, 'https://admin.example/wecom'],
  ])('of %j are %s', (env, url) => {
    expect(adminUrl(undefined, env)).toBe(url);
  });

  it('are refused where they tell nothing', () => {
    expect(() => adminUrl(undefined, { ADMIN_PORT: '0' })).toThrow('ADMIN_URL');
    expect(() => adminUrl(undefined, { ADMIN_URL: `https://me:${SECRET}@host` })).not.toThrow(SECRET);
    expect(() => adminToken({ DATA_DIR: '/nowhere' })).toThrow('/nowhere/admin-token');
    expect(() => adminToken({ ADMIN_TOKEN: 'two words\r\nx: y' })).toThrow('one word');
  });

  it('come from the file that is named, or from the data folder', () => {
    const folder = mkdtempSync(join(tmpdir(), 'wecom-token-'));
    writeFileSync(join(folder, 'admin-token'), 'from-the-folder\n');
    writeFileSync(join(folder, 'named'), 'from-the-file\n');
    expect(adminToken({ DATA_DIR: folder })).toBe('from-the-folder');
    expect(adminToken({ DATA_DIR: folder, ADMIN_TOKEN_FILE: join(folder, 'named') })).toBe('from-the-file');
    rmSync(folder, { recursive: true });
  });
});

describe('values', () => {
  it('of times are a span, an ISO time or milliseconds', () => {
    const now = 1_796_000_000_000;
    expect(['90s', '2h', '7d'].map((text) => now - timeOf(timeText(text), now))).toEqual([
      90_000, 7_200_000, 604_800_000,
    ]);
    expect(timeOf('2026-12-01T08:00:00+08:00', now)).toBe(Date.UTC(2026, 11, 1));
    expect(timeOf('1796000000000', 0)).toBe(now);
  });

  it('from outside cannot move a cursor', () => {
    expect(printable('a\u001b[31mb\r\n\u202e审批')).toBe('a\\u001b[31mb\\u000d\\u000a\\u202e审批');
  });
});

describe('against a service that comes and goes', () => {
  let server: Server | null = null;
  let port = 0;
  let answer: (path: string) => { status: number; body: unknown };

  async function listen(): Promise<void> {
    server = createServer((request, response) => {
      const { status, body } = answer(request.url ?? '');
      response.writeHead(status, { 'content-type': 'application/json', connection: 'close' }).end(JSON.stringify(body));
    });
    await new Promise<void>((done) => server?.listen(port, '127.0.0.1', done));
    port = (server.address() as AddressInfo).port;
  }

  async function close(): Promise<void> {
    server?.closeAllConnections();
    await new Promise<unknown>((done) => (server ? server.close(done) : done(null)));
    server = null;
  }

  afterEach(close);
  const world = (): CliWorld => new CliWorld({ ADMIN_TOKEN: SECRET, ADMIN_URL: `http://127.0.0.1:${port}` });

  it('a tail waits, asks again from where it was, and passes nothing over', async () => {
    const item = (id: number): object => ({ id, eventId: id, at: 0, decision: 'APPLIED', reason: 'r', app: 'crm' });
    const asked: string[] = [];
    answer = (path) => {
      asked.push(path);
      const after = Number(/afterId=(\d+)/.exec(path)?.[1] ?? 0);
      return { status: 200, body: { items: [item(after + 1)], lastId: after + 1 } };
    };
    await listen();
    const tail = world();
    const ended = tail.run('tail', '--json', '--interval', '100');
    await until(() => tail.stdout.split('\n').length > 2);
    await close();
    await until(() => tail.stderr.includes('does not answer any more'));
    await listen();
    await until(() => tail.stderr.includes('answers again'));
    tail.stop.abort(new StoppedError('SIGINT'));
    expect(await ended).toBe(130);
    const ids = tail.stdout
      .trim()
      .split('\n')
      .map((line) => (JSON.parse(line) as { id: number }).id);
    expect(ids).toEqual(ids.map((_, index) => index + 1));
    expect(new Set(asked).size).toBe(asked.length);
  });

  it.each([
    [401, { message: 'no' }, 4],
    [403, { message: 'no' }, 4],
    [400, { message: ['spNo is odd'] }, 2],
    [404, { message: 'no event has the id 7' }, 1],
    [500, { message: 'Internal server error' }, 5],
    [302, {}, 5],
    [200, 'text', 5],
  ])('HTTP %i %j ends with its own code', async (status, body, code) => {
    answer = () => ({ status, body });
    await listen();
    const found = world();
    expect(await found.run('find', '--id', '7', '--json')).toBe(code);
    expect(found.json.ok).toBe(false);
    expect(found.stdout + found.stderr).not.toContain(SECRET);
  });

  it('a pause that somebody takes back at the same moment is said not to be', async () => {
    answer = () => ({ status: 200, body: { items: [], paused: [], since: 0 } });
    await listen();
    const paused = world();
    expect(await paused.run('pause', 'ApprovalHandler', '--reason', 'a test', '--json')).toBe(1);
    expect(paused.json).toEqual({ handler: 'ApprovalHandler', pause: null });
  });

  it('a redrive that is stopped says that its job goes on, and how to end it', async () => {
    answer = () => ({ status: 200, body: { id: 7, action: 'redrive', status: 'RUNNING', total: 2, done: 1 } });
    await listen();
    const redrive = world();
    const ended = redrive.run('redrive', '--job', '7');
    await until(() => redrive.stderr.includes('RUNNING 1/2'));
    redrive.stop.abort(new StoppedError('SIGINT'));
    expect(await ended).toBe(130);
    expect(redrive.stderr).toContain('job 7 goes on in the service');
    expect(redrive.stderr).toContain('--job 7 --cancel');
  });

  it('a redrive whose events are still under way says so and ends with 1', async () => {
    const job = {
      id: 7,
      action: 'redrive',
      status: 'DONE',
      total: 1,
      done: 1,
      forecasts: {},
      results: { redriven: 1 },
    };
    const item = {
      place: 0,
      eventId: 3,
      result: 'redriven',
      status: 'RETRY',
      errorCode: 'HANDLER_FAILED',
      resultReason: '',
    };
    answer = (path) => {
      if (path.includes('/outcomes')) return { status: 200, body: { statuses: { RETRY: 1 }, changedLater: 0 } };
      return { status: 200, body: path.includes('/items') ? { items: [item], next: null } : job };
    };
    await listen();
    const redrive = world();
    expect(await redrive.run('redrive', '--job', '7', '--wait', '0')).toBe(1);
    expect(redrive.stderr).toContain('1 still under way');
    expect(redrive.stdout).toContain('event 3  redriven  RETRY  HANDLER_FAILED');
  });
});

describe('the start of the command line', () => {
  /** Files that are loaded before any command is: dynamic imports do not count. */
  function loaded(file: string, seen: Map<string, string[]>): Map<string, string[]> {
    const text = readFileSync(file, 'utf8');
    const targets = [...text.matchAll(/^(?:import|export) (?!type )(?:[^;']*? from )?'([^']+)';/gms)].map(
      ([, to = '']) => to,
    );
    seen.set(
      file,
      targets.filter((to) => !to.startsWith('.')),
    );
    for (const to of targets.filter((to) => to.startsWith('.'))) {
      const path = resolve(dirname(file), to.replace(/\.js$/, '.ts'));
      if (!seen.has(path)) loaded(path, seen);
    }
    return seen;
  }

  it('loads nothing but commander and what Node has', () => {
    const files = loaded(resolve(import.meta.dirname, 'main.ts'), new Map());
    expect(files.size).toBeGreaterThan(8);
    const packages = new Set([...files.values()].flat().filter((name) => !name.startsWith('node:')));
    expect([...packages]).toEqual(['commander']);
  });
});

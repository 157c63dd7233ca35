import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestCredentials } from '../support/sealer.js';
import { messageXml } from '../support/texts.js';
import { until } from '../support/until.js';
import { WecomClient } from '../support/wecom-client.js';

const ROOT = resolve(import.meta.dirname, '../..');
const run = promisify(execFile);
const { dependencies, devDependencies, version } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  dependencies: Record<string, string>;
  devDependencies: Record<string, string>;
  version: string;
};
/** What the app names itself; the rest comes with the package. One version of each, or Nest finds two of a class. */
const OWN = ['@nestjs/common', '@nestjs/core', '@nestjs/platform-fastify', '@nestjs/typeorm', 'typeorm'];
const OWN_TOOLS = ['@types/node', 'typescript'];

/** Nothing of the checkout but the tarball: what `files` or `exports` forget is missing here. */
describe('the packed package in a Nest app of its own', () => {
  const folder = mkdtempSync(join(tmpdir(), 'wecom-library-'));
  const output: string[] = [];
  let app: ChildProcess;
  let base = '';

  beforeAll(async () => {
    cpSync(join(ROOT, 'test/library/app'), folder, { recursive: true });
    await run('npm', ['pack', '--ignore-scripts', '--pack-destination', folder], { cwd: ROOT });
    const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as object;
    const own = Object.fromEntries(OWN.map((name) => [name, dependencies[name]]));
    const tools = Object.fromEntries(OWN_TOOLS.map((name) => [name, devDependencies[name]]));
    const all = { 'wecom-callback-gateway': `file:wecom-callback-gateway-${version}.tgz`, ...own, ...tools };
    writeFileSync(join(folder, 'package.json'), JSON.stringify({ ...manifest, dependencies: all }));
    await run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: folder });
    await run('npm', ['run', 'build'], { cwd: folder });

    const env = { PATH: process.env['PATH'], PORT: '0', ADMIN_PORT: '0', DATA_DIR: join(folder, 'data') };
    app = spawn(process.execPath, ['dist/main.js'], { cwd: folder, env });
    for (const stream of [app.stdout, app.stderr]) stream?.on('data', (chunk: Buffer) => output.push(chunk.toString()));
    const started = (): RegExpMatchArray | null => output.join('').match(/\{"port":(\d+)\}/);
    await until(() => started() !== null || app.exitCode !== null, 60_000, 'the app starts');
    base = `http://127.0.0.1:${started()?.[1] ?? expect.fail(output.join(''))}`;
  }, 300_000);

  // Deleting what npm installed takes a while on a slow disk.
  afterAll(async () => {
    if (app && app.exitCode === null) {
      app.kill('SIGTERM');
      await once(app, 'exit');
    }
    rmSync(folder, { recursive: true, force: true });
  }, 120_000);

  it('applies an event once to a table of the app, whose migration ran', async () => {
    const { demo } = JSON.parse(readFileSync(join(folder, 'data/demo.json'), 'utf8')) as { demo: TestCredentials };
    const client = new WecomClient(base, 'demo', demo);
    const text = messageXml('6054768590064713728', '你好', 1_796_000_000);
    const inbox = async () => (await (await fetch(`${base}/inbox`)).json()) as { content: string }[];

    const answers = [await client.deliver(text), await client.deliver(text)];
    await until(async () => (await inbox()).length > 0);
    client.close();

    expect(answers.map(({ body }) => body)).toEqual(['success', 'success']);
    expect((await inbox()).map(({ content }) => content)).toEqual(['你好']);
  });

  it('leaves the JSON bodies of the app’s own routes to the app', async () => {
    const answer = await fetch(`${base}/inbox/echo`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ text: 'hello' }),
    });

    expect(await answer.json()).toEqual({ text: 'hello' });
  });

  it('ends in order when it is told to', async () => {
    app.kill('SIGTERM');
    const [code] = (await once(app, 'exit')) as [number];

    expect(code, output.join('')).toBe(0);
  });
});

import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { UnitOfWork } from '../../src/database/unit-of-work.js';
import type { RunningGateway } from '../../src/index.js';
import { InboxRow, start } from '../readme/handler-example.js';
import { codeBlocks } from '../readme/markdown.js';
import type { TestCredentials } from '../support/sealer.js';
import { messageXml } from '../support/texts.js';
import { until } from '../support/until.js';
import { WecomClient } from '../support/wecom-client.js';

const ROOT = resolve(import.meta.dirname, '../..');
const PACKAGE = 'wecom-callback-gateway';
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** The marked parts of the example, as a user of the package writes them. */
const PARTS = [...read('test/readme/handler-example.ts').matchAll(/\/\/ readme:\w+\n([\s\S]*?)\n\/\/ readme:end/g)].map(
  ([, part = '']) => part.trim().replaceAll('../../src/index.js', PACKAGE),
);

describe('the handler in the README', () => {
  it.each(['README.md', 'README.zh-CN.md'])('stands in %s as it is run here', (path) => {
    const blocks = codeBlocks(read(path)).filter(({ language }) => language === 'ts');

    expect(PARTS.length).toBe(3);
    expect(blocks.map(({ text }) => text)).toEqual(PARTS);
  });

  it('imports only what the built package exports under its own name', () => {
    const imports = PARTS.join('\n').matchAll(/^import \{ ([^}]*) \} from 'wecom-callback-gateway';$/gm);
    const names = [...imports].flatMap(([, list = '']) => list.split(', ')).filter((name) => !name.startsWith('type '));
    const script = `import('${PACKAGE}').then((names) => console.log(JSON.stringify(Object.keys(names))))`;

    const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], {
      cwd: ROOT,
      encoding: 'utf8',
    });

    expect(names).toContain('startGateway');
    expect(JSON.parse(output)).toEqual(expect.arrayContaining(names));
  });
});

describe('the handler in the README, run', () => {
  const dataDir = mkdtempSync(join(tmpdir(), 'wecom-readme-'));
  let gateway: RunningGateway;
  let client: WecomClient;

  beforeAll(async () => {
    gateway = await start({ PORT: '0', ADMIN_PORT: '0', DATA_DIR: dataDir, LOG_LEVEL: 'error' });
    const { demo } = JSON.parse(readFileSync(join(dataDir, 'demo.json'), 'utf8')) as { demo: TestCredentials };
    client = new WecomClient(`http://127.0.0.1:${gateway.port}`, 'demo', demo);
  });

  afterAll(async () => {
    client?.close();
    await gateway?.stop();
    rmSync(dataDir, { recursive: true });
  });

  it('writes one row for a callback that comes twice', async () => {
    const first = messageXml('6054768590064713728', '你好', 1_796_000_000);
    const second = messageXml('6054768590064713729', '再见', 1_796_000_001);
    const inbox = (): Promise<InboxRow[]> => gateway.app.get(UnitOfWork).read(({ manager }) => manager.find(InboxRow));

    const answers = [await client.deliver(first)];
    await until(async () => (await inbox()).length > 0);
    answers.push(await client.deliver(first), await client.deliver(second));
    // Published after the duplicate: once its row is there, a second effect of the first would be there as well.
    await until(async () => (await inbox()).some(({ content }) => content === '再见'));

    expect(answers.map(({ status, body }) => `${status} ${body}`)).toEqual(Array(3).fill('200 success'));
    expect((await inbox()).map(({ sender, content }) => `${sender}: ${content}`)).toEqual(['LiSi: 你好', 'LiSi: 再见']);
  });
});

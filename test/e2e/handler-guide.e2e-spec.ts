import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe as describePage, expect as expectPage, it as itPage } from 'vitest';
import { codeBlocks } from '../readme/markdown.js';

// guide:test
import { afterAll, beforeAll, expect, it } from 'vitest';
import { TestGateway } from '../../src/testing/test-gateway.js';
import { ticket, TicketHandler } from '../readme/ticket-example.js';

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await TestGateway.start({ entityTypes: [ticket], handlers: [TicketHandler] });
});
afterAll(() => gateway.stop());

const deliver = (Action: string, CreateTime: number) =>
  gateway.deliver({ MsgType: 'event', Event: 'ticket_changed', TicketId: 'T-1', Action, CreateTime });

it('applies a closing once and refuses to close twice', async () => {
  expect(await deliver('open', 1_796_000_000)).toMatchObject({ status: 'APPLIED' });
  expect(await deliver('close', 1_796_000_060)).toMatchObject({ status: 'APPLIED' });
  expect(await deliver('close', 1_796_000_060)).toMatchObject({ status: 'APPLIED' }); // the same event again
  expect(await deliver('close', 1_796_000_070)).toMatchObject({ status: 'REJECTED' });
  expect(await deliver('open', 1_796_000_030)).toMatchObject({ status: 'STALE' });
});
// guide:end

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const SOURCES = ['test/readme/ticket-example.ts', 'test/e2e/handler-guide.e2e-spec.ts'];

/** The marked parts, as a user of the package writes them. */
const PARTS = SOURCES.flatMap((path) =>
  [...read(path).matchAll(/\/\/ guide:(?!end)\w[\w-]*\n([\s\S]*?)\n\/\/ guide:end/g)].map(([, part = '']) =>
    part
      .trim()
      .replaceAll('../../src/index.js', 'wecom-callback-gateway')
      .replaceAll('../../src/testing/test-gateway.js', 'wecom-callback-gateway/testing')
      .replaceAll('../readme/ticket-example.js', './ticket.js'),
  ),
);

describePage('the guide for authors of handlers', () => {
  itPage.each(['docs/handlers.md', 'docs/handlers.zh-CN.md'])('shows in %s what is run here', (path) => {
    const blocks = codeBlocks(read(path)).filter(({ language }) => language === 'ts');

    expectPage(PARTS.length).toBe(4);
    expectPage(blocks.map(({ text }) => text)).toEqual(PARTS);
  });
});

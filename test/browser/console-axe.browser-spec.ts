import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { consolePages, open, prepare, type ConsolePage } from './console-pages.js';
import { ConsoleWorld, type Look } from './console-world.js';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const LOOKS: readonly (Look & { name: string })[] = [
  { name: 'English, light', language: 'en', theme: 'light' },
  { name: '中文, dark', language: 'zh-CN', theme: 'dark' },
  { name: '中文, light, phone', language: 'zh-CN', theme: 'light', width: 390, height: 844 },
  { name: 'English, dark, phone', language: 'en', theme: 'dark', width: 390, height: 844 },
];

let world: ConsoleWorld;
let pages: ConsolePage[];

beforeAll(async () => {
  world = await ConsoleWorld.start();
  await world.addUsers();
  await world.simulate(600);
  pages = consolePages(await prepare(world));
});

afterEach(() => world.closePages());
afterAll(() => world.stop());

describe.each(LOOKS)('in $name', (look) => {
  it('axe finds no serious fault on any page, and none is wider than the screen', async () => {
    const page = await world.signedIn('admin', look);
    const errors = failuresOf(page);
    const faults: string[] = [];
    for (const { name, path } of pages) {
      await open(world, page, path);
      expect(await page.locator('html').getAttribute('lang')).toBe(look.language);
      expect(await page.locator('html').getAttribute('data-theme')).toBe(look.theme);
      faults.push(...(await faultsOf(page)).map((fault) => `${name}: ${fault}`));
      if (await isTooWide(page)) faults.push(`${name}: wider than the screen`);
    }
    expect(faults).toEqual([]);
    expect(errors).toEqual([]);
  });

  it('axe finds no serious fault where nobody is signed in, nor in a dialog', async () => {
    const outside = await world.page(look);
    for (const path of ['/', '/setup']) {
      await open(world, outside, path);
      expect(await faultsOf(outside), path).toEqual([]);
    }
    const page = await world.signedIn('admin', look);
    await open(world, page, '/dead-letters');
    await page.locator('table button').first().click();
    await page.getByRole('dialog').waitFor();
    expect(await faultsOf(page), 'new job').toEqual([]);
    await open(world, page, '/users');
    await page.locator('.page-head button').click();
    await page.getByRole('dialog').waitFor();
    expect(await faultsOf(page), 'new user').toEqual([]);
  });
});

it('a fault that is there is found', async () => {
  const page = await world.page();
  await open(world, page, '/');
  await page.evaluate('document.body.append(document.createElement("button"))');
  expect((await faultsOf(page)).join()).toContain('button-name');
});

/** What the browser itself complains of: errors of scripts, and what the content security policy has blocked. */
function failuresOf(page: Page): string[] {
  const failures: string[] = [];
  page.on('pageerror', (error) => failures.push(error.message));
  page.on('console', (message) => {
    if (message.type() === 'error') failures.push(message.text());
  });
  return failures;
}

async function faultsOf(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const violations = await page.evaluate<{ id: string; impact: string; nodes: { html: string }[] }[]>(
    'axe.run(document, { resultTypes: ["violations"] }).then((result) => result.violations)',
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 160)).join(' | ')}`);
}

async function isTooWide(page: Page): Promise<boolean> {
  return page.evaluate<boolean>('document.documentElement.scrollWidth > window.innerWidth + 1');
}

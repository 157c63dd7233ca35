import { mkdir, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { consolePages, open, prepare, type ConsolePage } from './console-pages.js';
import { ConsoleWorld, type Look } from './console-world.js';

// `npm run screenshots` writes the pictures of docs/console.md.
const FOLDER = process.env['SCREENSHOTS'] ?? resolve(import.meta.dirname, '../../docs/console');
const BYTES_MAX = 200_000;
const DARK = new Set(['overview', 'event', 'entity']);
const CHINESE = new Set(['overview', 'dead-letters']);
const PHONE = new Set(['overview', 'dead-letters']);
const LEFT_OUT = new Set(['redriven', 'password', 'lost']);

let world: ConsoleWorld;
let pages: ConsolePage[];

beforeAll(async () => {
  world = await ConsoleWorld.start();
  await world.addUsers();
  await world.simulate(1_500);
  pages = consolePages(await prepare(world)).filter(({ name }) => !LEFT_OUT.has(name));
  await mkdir(FOLDER, { recursive: true });
});

afterAll(() => world.stop());

const LOOKS: readonly { suffix: string; look: Look; only: ReadonlySet<string> | null }[] = [
  { suffix: '', look: {}, only: null },
  { suffix: '-dark', look: { theme: 'dark' }, only: DARK },
  { suffix: '-zh', look: { language: 'zh-CN' }, only: CHINESE },
  { suffix: '-phone', look: { width: 390, height: 844 }, only: PHONE },
];

it('are taken of each page', async () => {
  for (const { suffix, look, only } of LOOKS) {
    const page = await world.signedIn('admin', look);
    for (const { name, path } of pages.filter((one) => only === null || only.has(one.name))) {
      await open(world, page, path);
      await shoot(page, `${name}${suffix}`);
    }
  }
  const outside = await world.page({ height: 640 });
  await open(world, outside, '/');
  await shoot(outside, 'sign-in');
});

async function shoot(page: Awaited<ReturnType<ConsoleWorld['page']>>, name: string): Promise<void> {
  const path = join(FOLDER, `${name}.png`);
  await page.screenshot({ path });
  expect((await stat(path)).size, name).toBeLessThan(BYTES_MAX);
}

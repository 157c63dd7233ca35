import { existsSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parseApps } from '../../src/config/apps-file.js';
import { codeBlocks, headings } from '../readme/markdown.js';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');

/** Pages that exist in two languages. */
const PAIRS = [
  ['README.md', 'README.zh-CN.md'],
  ['docs/architecture.md', 'docs/architecture.zh-CN.md'],
  ['docs/cli.md', 'docs/cli.zh-CN.md'],
  ['docs/correctness.md', 'docs/correctness.zh-CN.md'],
  ['docs/deploy.md', 'docs/deploy.zh-CN.md'],
  ['docs/handlers.md', 'docs/handlers.zh-CN.md'],
  ['docs/operations.md', 'docs/operations.zh-CN.md'],
] as const;

/** A page's tables by their number of rows: a row that one language lacks shows here. */
function tableRows(markdown: string): number {
  return markdown.split('\n').filter((line) => line.startsWith('|')).length;
}

/** Targets of relative links, without their anchors. */
function localLinks(markdown: string): string[] {
  const targets = [...markdown.matchAll(/\]\(([^)#\s]+)(?:#[^)]*)?\)/g)].map(([, target = '']) => target);
  return targets.filter((target) => !/^[a-z]+:/.test(target));
}

describe.each(PAIRS)('%s and %s', (english, chinese) => {
  it('have the same headings by number and level', () => {
    const [first, second] = [headings(read(english)), headings(read(chinese))];

    expect(first.length).toBeGreaterThan(2);
    expect(second.map(({ level }) => level)).toEqual(first.map(({ level }) => level));
  });

  it('have the same code blocks but for comments of diagrams', () => {
    const [first, second] = [codeBlocks(read(english)), codeBlocks(read(chinese))];

    expect(first.length).toBeGreaterThan(0);
    expect(second.map(({ language }) => language)).toEqual(first.map(({ language }) => language));
    // Labels in a diagram are prose; everything that a reader would paste is equal.
    const pasted = (blocks: typeof first) => blocks.filter(({ language }) => language !== 'mermaid');
    expect(pasted(second)).toEqual(pasted(first));
  });

  it('have tables of the same length', () => {
    expect(tableRows(read(chinese))).toBe(tableRows(read(english)));
  });

  it.each([english, chinese])('link only to files that exist (%s)', (path) => {
    const missing = localLinks(read(path)).filter((target) => !existsSync(resolve(ROOT, path, '..', target)));

    expect(localLinks(read(path)).length).toBeGreaterThan(0);
    expect(missing).toEqual([]);
  });
});

describe('README.md', () => {
  it('names only npm scripts that exist', () => {
    const { scripts } = JSON.parse(read('package.json')) as { scripts: Record<string, string> };
    const named = [...read('README.md').matchAll(/npm run ([\w:]+)/g)].map(([, name = '']) => name);

    expect(named).toContain('simulate');
    expect(named.filter((name) => !(name in scripts))).toEqual([]);
  });
});

describe('the apps files in README.md', () => {
  const files = codeBlocks(read('README.md')).filter(({ language }) => language === 'yaml');

  it.each(files)('load as they are printed (%#)', ({ text }) => {
    const { apps, faults, warnings } = parseApps(text, 'README.md', 'hang');

    expect([...faults, ...warnings]).toEqual([]);
    expect(apps.has('crm')).toBe(true);
  });

  it('show an app with one second and an app with two pairs of keys', () => {
    const apps = files.flatMap(({ text }) => [...parseApps(text, 'README.md', 'hang').apps.values()]);

    expect(apps.map(({ name, deadlineMs, credentials }) => `${name} ${deadlineMs} ${credentials.length}`)).toEqual([
      'crm 5000 1',
      'suite 1000 1',
      'crm 5000 2',
    ]);
  });
});

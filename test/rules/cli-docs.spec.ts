import { readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { EXIT } from '../../src/cli/exit-codes.js';
import { PROGRAM, program } from '../../src/cli/program.js';
import { helpText } from '../../src/simulator/help-text.js';
import { CliWorld } from '../support/cli-world.js';
import { alerts } from '../support/monitoring-files.js';

const ROOT = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(ROOT, path), 'utf8');
const PAGES = ['docs/cli.md', 'docs/cli.zh-CN.md'];

const commands = new Map(
  program({} as never, () => undefined).commands.map((command) => [
    command.name(),
    command.options.map(({ flags }) => flags.replace(/^-\w, /, '')),
  ]),
);
// The simulator reads its flags by itself; its help says them.
commands.set(
  'simulate',
  [...helpText('', 0).matchAll(/^ {2}(--\S+(?: [A-Z]+)?)/gm)].map(([, flag = '']) => flag),
);

/** The text below a heading, up to the next of its level or above. */
function section(markdown: string, level: number, name: string): string {
  const [, text] = markdown.split(new RegExp(`^#{${level}} ${name}$`, 'm'));
  return (text ?? expect.fail(`no section ${name}`)).split(new RegExp(`^#{1,${level}} `, 'm'))[0] ?? '';
}

const rowsOf = (text: string): string[] => [...text.matchAll(/^\| `?([^`|]+?)`? \|/gm)].map(([, cell = '']) => cell);
const flagsOf = (text: string): string[] => rowsOf(text).filter((cell) => cell.startsWith('--'));

describe.each(PAGES)('%s', (page) => {
  const markdown = read(page);
  const isEnglish = !page.includes('zh-CN');
  const filters = flagsOf(section(markdown, 3, isEnglish ? 'Filters' : '过滤条件'));

  it('has every command, and no other', () => {
    const names = [...markdown.matchAll(/^## ([a-z]+)$/gm)].map(([, name = '']) => name);
    expect(names).toEqual([...commands.keys()]);
  });

  it.each([...commands])('says the options of %s as its help does', (name, flags) => {
    const own = flagsOf(section(markdown, 2, name).split(/^### /m)[0] ?? '');
    const hasFilters = ['find', 'redrive', 'discard'].includes(name);
    expect([...own, ...(hasFilters ? filters : [])].sort()).toEqual([...flags].sort());
  });

  it('says every exit code', () => {
    const codes = rowsOf(section(markdown, 2, isEnglish ? 'Output and exit codes' : '输出与退出码'));
    expect(codes.filter((code) => /^\d+$/.test(code)).map(Number)).toEqual(Object.values(EXIT));
  });
});

describe('the help', () => {
  it.each([...commands.keys()].filter((name) => name !== 'simulate'))(
    'of %s is what a call of it prints',
    async (name) => {
      const world = new CliWorld();
      expect(await world.run(name, '--help')).toBe(0);
      for (const flag of commands.get(name) ?? []) expect(world.stdout).toContain(flag);
    },
  );
});

describe.each(['docs/operations.md', 'docs/operations.zh-CN.md'])('the runbook in %s', (page) => {
  const runbook = section(read(page), 2, page.includes('zh-CN') ? '处置手册' : 'Runbook');
  const entries = [...runbook.matchAll(/^### (\w+)$/gm)].map(([, name = '']) => name);

  it('has an entry for each alert, and none for another', () => {
    expect(entries).toEqual(alerts().map(({ alert }) => alert));
  });

  it('says in each what it means, what is at risk, how to look and what to do', () => {
    for (const entry of entries) expect(section(runbook, 3, entry).match(/^- \*\*/gm), entry).toHaveLength(4);
  });

  it('names commands and options that exist', () => {
    const calls = [...runbook.matchAll(new RegExp(`\`${PROGRAM} ([^\`]+)\``, 'g'))].map(([, call = '']) => call);
    expect(calls.length).toBeGreaterThan(15);
    for (const call of calls) {
      const [name = '', ...words] = call.split(' ');
      const known = (commands.get(name) ?? []).map((flags) => flags.split(' ')[0]);
      const flags = words.filter((word) => word.startsWith('--'));
      expect([commands.has(name), flags.filter((flag) => !known.includes(flag))], call).toEqual([true, []]);
    }
  });
});

describe('an alert', () => {
  it.each(alerts())(
    '$alert says how bad it is, what it is about, and where to read on',
    ({ alert, labels, annotations }) => {
      expect(['critical', 'warning']).toContain(labels['severity']);
      expect(Object.keys(annotations).sort()).toEqual(['description', 'runbook_url', 'summary']);
      // GitHub's anchor of the heading.
      expect(annotations['runbook_url']).toBe(`docs/operations.md#${alert.toLowerCase()}`);
    },
  );
});

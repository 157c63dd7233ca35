import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const SRC = resolve(import.meta.dirname, '../../src');

/** Style.md, section 1, with `runtime`, `database` and `redis` below. A folder imports from lower levels only. */
const LEVELS: readonly (readonly string[])[] = [
  ['runtime', 'wecom'],
  ['config', 'observability'],
  ['database', 'redis'],
  ['entity-types'],
  ['transport', 'idempotency', 'cluster', 'event-log', 'saga', 'wecom-api'],
  ['handlers', 'access'],
  ['callback', 'worker', 'admin'],
];
/** Files of `src` itself; they wire the rest together. */
const TOP = '(top)';
/** Programs of their own, which drive the service from outside; nothing in the service leads to them. */
const PROGRAM_FOLDERS: readonly string[] = ['simulator', 'cli'];
/** Starts the whole service for the tests of handler authors, so it stands above everything. */
const TESTING = 'testing';

const WECOM_PACKAGES = ['node:buffer', 'node:crypto', 'saxes', 'lossless-json'];
const NEVER: Readonly<Record<string, readonly string[]>> = {
  callback: ['worker'],
  worker: ['callback'],
  handlers: ['transport', 'idempotency', 'callback'],
};

interface Import {
  readonly file: string;
  readonly folder: string;
  /** The folder of `src` that it leads to, or null for a package or a file outside of `src`. */
  readonly to: string | null;
  readonly target: string;
}

const files = (readdirSync(SRC, { recursive: true }) as string[])
  .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
  .map((file) => file.replaceAll('\\', '/'));
const textOf = (file: string): string => readFileSync(join(SRC, file), 'utf8');
const imports = files.flatMap(importsOf);

function folderOf(file: string): string {
  return file.includes('/') ? (file.split('/')[0] ?? TOP) : TOP;
}

function importsOf(file: string): Import[] {
  const folder = folderOf(file);
  const statements = textOf(file).matchAll(/(?:\bfrom\s+|\bimport\s*\(?\s*)['"]([^'"]+)['"]/g);
  return [...statements].map(([, target = '']) => {
    if (!target.startsWith('.')) return { file, folder, target, to: null };
    const path = relative(SRC, resolve(SRC, dirname(file), target)).replaceAll('\\', '/');
    return { file, folder, target, to: path.startsWith('..') ? null : folderOf(path) };
  });
}

function levelOf(folder: string): number {
  if (folder === TESTING) return LEVELS.length + 1;
  if (folder === TOP) return LEVELS.length;
  return LEVELS.findIndex((level) => level.includes(folder));
}

const told = (wrong: readonly Import[]): string[] => wrong.map(({ file, target }) => `${file} → ${target}`);

describe('imports', () => {
  it('are found at all', () => {
    expect(files.length).toBeGreaterThan(100);
    expect(imports.filter(({ to }) => to !== null).length).toBeGreaterThan(300);
  });

  it('come from folders that have a level', () => {
    const unknown = new Set(
      files.map(folderOf).filter((folder) => !PROGRAM_FOLDERS.includes(folder) && levelOf(folder) < 0),
    );
    expect([...unknown]).toEqual([]);
  });

  it('point down only, and not from one module to another of its level', () => {
    const wrong = imports.filter(({ folder, to }) => {
      if (PROGRAM_FOLDERS.includes(folder) || to === null || to === folder) return false;
      return PROGRAM_FOLDERS.includes(to) || levelOf(to) >= levelOf(folder);
    });
    expect(told(wrong)).toEqual([]);
  });

  it.each(Object.entries(NEVER))('of %s never lead to %s', (folder, never) => {
    expect(told(imports.filter((one) => one.folder === folder && one.to !== null && never.includes(one.to)))).toEqual(
      [],
    );
  });

  it('of wecom stay inside it, but for what is pure', () => {
    const outside = imports.filter(({ folder, to, target }) => {
      return folder === 'wecom' && to !== 'wecom' && !WECOM_PACKAGES.includes(target);
    });
    expect(told(outside)).toEqual([]);
  });

  it('end in .js when they are relative', () => {
    expect(told(imports.filter(({ target }) => target.startsWith('.') && !target.endsWith('.js')))).toEqual([]);
  });

  it('bring time, chance and disk in through the ports alone', () => {
    const disk = imports.filter(({ file, folder, target }) => {
      return (
        /^node:(fs|fs\/promises|timers|timers\/promises|perf_hooks)$/.test(target) &&
        !PROGRAM_FOLDERS.includes(folder) &&
        !FILE_USERS.includes(file)
      );
    });
    expect(told(disk)).toEqual([]);
  });
});

/** Ports for time, chance and disk; what reads settings at start; the lock that must outlive no process. */
const FILE_USERS = [
  'runtime/system-clock.ts',
  'runtime/system-disk.ts',
  'config/system-config-sources.ts',
  'database/sqlite/data-folder-lock.ts',
  // Looks once at start whether there is a console to serve.
  'admin/console.ts',
  // Makes and deletes the folder of a test.
  'testing/test-gateway.ts',
];

/** Where the names of adapters may stand beside their own folder: module files and the gateway's wiring. */
const ADAPTER = /\b(?:Sqlite|Mysql|Memory|Redis|Redlock|Kafka|RocketMq)[A-Z]\w+/g;
const WIRING = /(?:\.module|^gateway-app|^migrate-gateway|^data-source)\.ts$/;

function homesOfAdapters(): ReadonlyMap<string, string> {
  const homes = new Map<string, string>();
  for (const file of files) {
    // What is set for an engine is read in one place and handed to its adapter, which may be anywhere.
    if (dirname(file) === 'config') continue;
    for (const [, name = ''] of textOf(file).matchAll(/export (?:abstract )?(?:class|interface|type|const) (\w+)/g)) {
      if (name.match(ADAPTER)) homes.set(name, dirname(file));
    }
  }
  return homes;
}

describe('names of adapters', () => {
  it('stand in their own folder, a module file or the wiring of the gateway, and nowhere else', () => {
    const homes = homesOfAdapters();
    const wrong = files.flatMap((file) => {
      if (WIRING.test(file)) return [];
      const names = new Set(withoutComments(textOf(file)).match(ADAPTER) ?? []);
      return [...names]
        .filter((name) => homes.has(name) && homes.get(name) !== dirname(file))
        .map((name) => `${file}: ${name}`);
    });
    expect(homes.size).toBeGreaterThan(5);
    expect(wrong).toEqual([]);
  });
});

const PROGRAMS = ['main.ts', 'migrate.ts', 'cli/main.ts'];

describe('settings', () => {
  it('are read from process.env by the programs alone', () => {
    const readers = files.filter((file) => withoutComments(textOf(file)).includes('process.env'));
    expect(readers.filter((file) => !PROGRAMS.includes(file) && folderOf(file) !== 'simulator')).toEqual([]);
  });
});

function withoutComments(text: string): string {
  return text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/(^|[^:])\/\/.*$/gm, '$1');
}

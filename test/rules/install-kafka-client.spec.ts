import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';

const SCRIPT = resolve(import.meta.dirname, '../../scripts/install-kafka-client.mjs');
const PACKAGE = 'node_modules/@confluentinc/kafka-javascript';
const BINDING = 'Release/confluent-kafka-javascript.node';

/** A package that loads when its binding and its library are whole, as a linker would have it. */
const INDEX = `
const { readFileSync } = require('node:fs');
for (const file of ['${BINDING}', 'deps/librdkafka.so.1'])
  if (readFileSync(require('node:path').join(__dirname, 'build', file), 'utf8') !== 'whole') throw new Error(file);
module.exports = { RdKafka: { Producer: class {} } };
`;
const NPM = `#!/bin/sh
echo "npm $*" >> "$CALLS"
case "$*" in
  'install --prefix '*) package=$3/${PACKAGE}; mkdir -p "$package/util" "$3/node_modules/nan"; cp "$WORLD"/index.js "$package/"
    : > "$package/util/configure"
    echo '{"name":"@confluentinc/kafka-javascript","version":"1.10.1"}' > "$package/package.json" ;;
  *'node-pre-gyp install') exit 1 ;;
  *'node-gyp build') mkdir -p ${PACKAGE}/build/Release; printf whole > ${PACKAGE}/build/${BINDING} ;;
esac
`;
const MAKE = `#!/bin/sh
echo "make $*" >> "$CALLS"
mkdir -p build/deps
for file in librdkafka.so.1 librdkafka++.so.1 librdkafka.a; do printf whole > build/deps/$file; done
`;

// Each install starts a few processes, which is seconds on a machine that is busy.
describe('scripts/install-kafka-client.mjs', { timeout: 120_000 }, () => {
  let world: string;
  beforeEach(() => {
    world = mkdtempSync(join(tmpdir(), 'wecom-install-'));
    writeFileSync(join(world, 'index.js'), INDEX);
    mkdirSync(join(world, 'bin'));
    for (const [name, text] of [['npm', NPM] as const, ['make', MAKE] as const]) {
      writeFileSync(join(world, 'bin', name), text);
      chmodSync(join(world, 'bin', name), 0o755);
    }
  });
  afterEach(() => rmSync(world, { recursive: true, force: true }));

  /** What was called, less the arguments. */
  function install(folder: string, ...args: string[]): { status: number | null; calls: string[] } {
    const [cwd, calls] = [join(world, folder), join(world, 'calls')];
    mkdirSync(cwd, { recursive: true });
    rmSync(calls, { force: true });
    const PATH = `${join(world, 'bin')}:${process.env['PATH']}`;
    const env = { ...process.env, PATH, CALLS: calls, WORLD: world, XDG_CACHE_HOME: join(world, 'cache') };
    const { status } = spawnSync(process.execPath, [SCRIPT, ...args], { cwd, env, stdio: 'ignore' });
    const lines = existsSync(calls) ? readFileSync(calls, 'utf8').trim().split('\n') : [];
    return { status, calls: lines.map((line) => /make|npm install|node-pre-gyp|node-gyp \w+/.exec(line)?.[0] ?? line) };
  }

  const cacheFolder = (): string => join(world, 'cache', 'wecom-callback-gateway');
  const cached = (...path: string[]): string => join(cacheFolder(), readdirSync(cacheFolder())[0] ?? '', ...path);
  const COMPILED = ['npm install', 'node-pre-gyp', 'node-gyp configure', 'make', 'node-gyp build'];

  it('compiles once, and takes the result from its cache in the next folder', () => {
    expect(install('first')).toEqual({ status: 0, calls: COMPILED });
    expect(readdirSync(cacheFolder())).toEqual([
      expect.stringMatching(`^kafka-javascript-1\\.10\\.1-\\w+-\\w+-abi${process.versions.modules}-`),
    ]);
    // What it was made of is no part of it.
    expect(readdirSync(cached('deps')).sort()).toEqual(['librdkafka++.so.1', 'librdkafka.so.1']);

    expect(install('second')).toEqual({ status: 0, calls: ['npm install'] });
    expect(readFileSync(join(world, 'second', PACKAGE, 'build', BINDING), 'utf8')).toBe('whole');
  });

  it('brings what the client needs without touching what stands beside it', () => {
    const beside = join(world, 'first', 'node_modules', 'nan');
    mkdirSync(beside, { recursive: true });
    writeFileSync(join(beside, 'index.js'), 'of somebody else');

    install('first');
    expect(readdirSync(beside)).toEqual(['index.js']);
    expect(existsSync(join(world, 'first', PACKAGE, 'node_modules', 'nan'))).toBe(true);
    expect(readdirSync(join(world, 'first', 'node_modules')).sort()).toEqual(['@confluentinc', 'nan']);
  });

  it('fills the cache from a client that is there already', () => {
    install('first');
    rmSync(cacheFolder(), { recursive: true });

    expect(install('first')).toEqual({ status: 0, calls: [] });
    expect(existsSync(cached(BINDING))).toBe(true);
  });

  it('compiles anew where the cache does not load, and mends it', () => {
    install('first');
    writeFileSync(cached('deps', 'librdkafka.so.1'), 'torn');

    expect(install('second')).toEqual({ status: 0, calls: COMPILED });
    expect(readFileSync(cached('deps', 'librdkafka.so.1'), 'utf8')).toBe('whole');
  });

  it('compiles in any case when it is told to', () => {
    install('first');

    expect(install('first', '--build').calls).toContain('make');
  });

  it('leaves nothing half-written where the cache cannot take its name', () => {
    install('first');
    const name = cached();
    rmSync(name, { recursive: true });
    // Nothing is found by that name, and no folder can take its place.
    symlinkSync(join(world, 'nowhere'), name);

    expect(install('second')).toEqual({ status: 0, calls: COMPILED });
    expect(readdirSync(cacheFolder()).map((entry) => join(cacheFolder(), entry))).toEqual([name]);
  });

  it('ends well where the cache cannot be written', () => {
    writeFileSync(join(world, 'cache'), 'a file, no folder');

    expect(install('first')).toEqual({ status: 0, calls: COMPILED });
    expect(readdirSync(world).filter((name) => name.startsWith('cache'))).toEqual(['cache']);
  });
});

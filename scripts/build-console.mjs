// Builds the console with Vite and puts it where the admin role serves it from: dist/console. Its packages are development
// dependencies, which an image or an installed package does not have and does not need.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { isStale } from './is-stale.mjs';

const SOURCES = [
  ...['console/src', 'console/public', 'console/index.html', 'console/vite.config.ts', 'console/vite.config.js'],
  ...['console/tsconfig.json', 'console/package.json', 'package-lock.json'],
];
/** Outside of what it is about, which is published as it is. */
const STAMP = join('dist', '.console-built');
const NEEDED = ['vite', 'react', 'antd'];

export function buildConsole(root, { always = false } = {}) {
  const source = join(root, 'console');
  if (!existsSync(join(source, 'index.html'))) return;
  const target = join(root, 'dist', 'console');
  if (!always && existsSync(join(target, 'index.html')) && !isStale(root, STAMP, SOURCES)) return;
  const missing = missingPackages(source);
  if (missing.length > 0) {
    console.log(
      `The console is not built: ${missing.join(', ')} not installed (npm ci brings them). The service runs without it.`,
    );
    return;
  }
  console.log('Building the console …');
  const vite = join(
    dirname(createRequire(join(source, 'package.json')).resolve('vite/package.json')),
    'bin',
    'vite.js',
  );
  const result = spawnSync(process.execPath, [vite, 'build'], { cwd: source, stdio: 'inherit' });
  if (result.status !== 0) process.exit(result.status ?? 1);
  // Files of the last build have other names, and would stay for ever.
  rmSync(target, { recursive: true, force: true });
  cpSync(join(source, 'dist'), target, { recursive: true });
  writeFileSync(join(root, STAMP), '');
}

function missingPackages(source) {
  const { resolve } = createRequire(join(source, 'package.json'));
  return NEEDED.filter((name) => {
    try {
      resolve(`${name}/package.json`);
      return false;
    } catch {
      return true;
    }
  });
}

const self = fileURLToPath(import.meta.url);
if (process.argv[1] === self) buildConsole(join(dirname(self), '..'), { always: true });

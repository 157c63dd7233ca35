// `npm start`, `npm run simulate` and `npm test` build what is missing by themselves, so that two commands are
// enough on a fresh clone. Stale means: any source, lock or compiler file is newer than the last build.
import { spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { buildConsole } from './build-console.mjs';
import { copyLua } from './copy-lua.mjs';
import { isStale } from './is-stale.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const STAMP = join('dist', '.built');
const SOURCES = ['src', 'migrations', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];

if (isStale(root, STAMP, SOURCES)) {
  console.log('Building …');
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const result = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) process.exit(result.status ?? 1);
  copyLua(root);
  writeFileSync(join(root, STAMP), '');
}
// The service alone is what its tests need: they bring a console of their own, or build it.
if (!process.argv.includes('--without-console')) buildConsole(root);

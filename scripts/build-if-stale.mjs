// `npm start`, `npm run simulate` and `npm test` build what is missing by themselves, so that two commands are
// enough on a fresh clone. Stale means: any source, lock or compiler file is newer than the last build.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { copyLua } from './copy-lua.mjs';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'dist', '.built');

function newest(path) {
  if (!existsSync(path)) return 0;
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((max, name) => Math.max(max, newest(join(path, name))), 0);
}

const sources = ['src', 'migrations', 'tsconfig.json', 'tsconfig.build.json', 'package-lock.json'];
const changedAt = Math.max(...sources.map((name) => newest(join(root, name))));
if (!existsSync(stamp) || statSync(stamp).mtimeMs < changedAt) {
  console.log('Building …');
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const result = spawnSync(process.execPath, [tsc, '-p', 'tsconfig.build.json'], { cwd: root, stdio: 'inherit' });
  if (result.status !== 0) process.exit(result.status ?? 1);
  copyLua(root);
  writeFileSync(stamp, '');
}

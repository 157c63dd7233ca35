// `npm run services -- up kafka`: builds test/services when it is stale, and runs it.
import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = join(dirname(fileURLToPath(import.meta.url)), '..');
const stamp = join(root, 'dist', '.built-services');

function newest(path) {
  const stat = statSync(path);
  if (!stat.isDirectory()) return stat.mtimeMs;
  return readdirSync(path).reduce((max, name) => Math.max(max, newest(join(path, name))), 0);
}

const changedAt = Math.max(...['test/services', 'src', 'tsconfig.json'].map((name) => newest(join(root, name))));
if (!existsSync(stamp) || statSync(stamp).mtimeMs < changedAt) {
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  const options = { cwd: root, stdio: 'inherit' };
  if (spawnSync(process.execPath, [tsc, '-p', 'test/services/tsconfig.json'], options).status !== 0) process.exit(1);
  writeFileSync(stamp, '');
}
const main = join(root, 'dist', 'test', 'services', 'main.js');
const args = ['--enable-source-maps', main, ...process.argv.slice(2)];
const run = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' });
process.exit(run.status ?? 1);
